// Sends one request to a URL, prints its outcome, and ends once nothing keeps the process alive. The sender is not closed.
import { createSender } from '../../src/delivery/send/sender.ts'
import { createClock } from '../../src/lib/clock.ts'

const sender = createSender({ clock: createClock(), allow: ['127.0.0.0/8'], refuse: () => [] })
const outcome = await sender.send({ method: 'GET', to: process.argv[2]!, headers: [], timeoutMs: 60_000 })
console.log(outcome.kind)
