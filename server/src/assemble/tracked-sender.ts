import { createSender, type Outgoing, type Sender, type SenderOptions } from '../delivery/send/sender.ts'
import { type Activity, noActivity } from '../lib/activity.ts'

/** A moved clock does not wait longer for one answer, in real time: its deadline is a timer too. */
const PATIENCE_MS = 1000

const nameOf = ({ method, to }: Outgoing) => `${method} ${typeof to === 'string' ? to : to.origin + to.path}`.replace(/\?.*/, '')

/** A sender whose requests count as work under way. */
export function createTrackedSender(activity: Activity, options: SenderOptions): Sender {
  const sender = createSender(options)
  if (activity === noActivity) return sender
  return { ...sender, send: (out) => activity.track(sender.send(out), { ms: PATIENCE_MS, name: () => nameOf(out) }) }
}
