// A thread that makes cheap calls, so that what the dear ones answer does not keep it: for each message one call, answered with its status and milliseconds.
import { existsSync, readFileSync } from 'node:fs'
import { Agent, get } from 'node:http'
import { parentPort, workerData } from 'node:worker_threads'

const { url, headers, pid } = workerData as { url: string; headers: Record<string, string>; pid: number }
const agent = new Agent({ keepAlive: true })

/** How many milliseconds this thread and the server's main thread were ready to run and had no processor. Zero where the system does not tell. */
const delayMs = (): number =>
  ['/proc/thread-self/schedstat', `/proc/${pid}/task/${pid}/schedstat`].reduce(
    (sum, file) => (existsSync(file) ? sum + Number(readFileSync(file, 'latin1').split(' ')[1]) / 1e6 : sum),
    0,
  )

const call = () =>
  new Promise<number>((done, fail) => {
    const sent = get(url, { agent, headers }, (answer) => {
      answer.resume().on('error', fail)
      answer.on('end', () => done(answer.statusCode!))
    })
    sent.on('error', fail)
  })

parentPort!.on('message', async () => {
  const [at, delayed] = [performance.now(), delayMs()]
  const status = await call().catch((error) => error.message)
  parentPort!.postMessage({ status, ms: performance.now() - at - (delayMs() - delayed) })
})
