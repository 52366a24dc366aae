// Loaded into a server with --import: tells the CPU time that its main thread took at most in one turn of the event loop.
import { isMainThread } from 'node:worker_threads'

if (isMainThread) {
  let last = process.threadCpuUsage()
  let longest = 0
  const beat = () => {
    const now = process.threadCpuUsage()
    longest = Math.max(longest, now.user + now.system - last.user - last.system)
    last = now
  }
  setInterval(beat, 1).unref()
  process.on('message', () => {
    beat()
    process.send({ cpuMs: longest / 1000, rss: process.memoryUsage.rss() })
    longest = 0
  })
  process.channel.unref()
}
