// Loaded into a server with --import: tells the CPU time that its main thread took at most between two looks at the event loop.
import { isMainThread } from 'node:worker_threads'

if (isMainThread) {
  let last = process.threadCpuUsage()
  let longestMicros = 0
  const beat = () => {
    const now = process.threadCpuUsage()
    longestMicros = Math.max(longestMicros, now.user + now.system - last.user - last.system)
    last = now
  }
  setInterval(beat, 1).unref()
  process.on('message', () => {
    beat()
    process.send!(longestMicros / 1000)
    longestMicros = 0
  })
  process.channel!.unref()
}
