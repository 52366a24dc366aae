import { availableParallelism } from 'node:os'
import { createSender, type Sender, type SenderOptions } from '../delivery/send/sender.ts'
import { createThreadSender } from '../delivery/send-threads/thread-sender.ts'
import type { Base } from './parts.ts'
import { trackSender } from './tracked-sender.ts'

/** The main thread has work for a few sender threads: see decision 031. */
const MAX_DEFAULT_SENDERS = 4
/** Those of the main thread and of the event log. */
const OTHER_CORES = 2

/** How many sender threads there are unless a setting says so. In development there are none, because its clock can be moved. */
export const defaultSenders = (development: boolean, cores: number): number =>
  development ? 0 : Math.min(MAX_DEFAULT_SENDERS, Math.max(0, cores - OTHER_CORES))

/** How many sender threads this process has. */
export const sendersOf = ({ settings, development }: Pick<Base, 'settings' | 'development'>): number =>
  settings.senders ?? defaultSenders(development, availableParallelism())

/** What every sender of this process is made with. */
export const senderOptions = ({ settings, clock, listening }: Base): SenderOptions => ({
  clock,
  allow: settings.callbackAllow,
  refuse: () => listening.listeners,
  ca: settings.callbackCa,
  resolver: settings.callbackResolvers,
})

/** What sends deliveries and challenges: the main thread, or threads of their own. */
export function createWayOut(base: Base): Sender {
  const { activity, logger, metrics } = base
  const { threadFailed } = metrics.deliveries
  const threads = sendersOf(base)
  const options = senderOptions(base)
  return trackSender(activity, threads === 0 ? createSender(options) : createThreadSender({ ...options, threads, logger, threadFailed }))
}
