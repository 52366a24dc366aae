import type { Outgoing, Sender } from '../../delivery/send/sender.ts'
import type { Activity } from '../../lib/activity.ts'

/** A moved clock does not wait longer for one answer, in real time: its deadline is a timer too. */
const PATIENCE_MS = 1000

const nameOf = ({ method, to }: Outgoing) => `${method} ${typeof to === 'string' ? to : to.origin + to.path}`.replace(/\?.*/, '')

/** The same sender, whose requests count as work under way. */
export const trackSender =
  (activity: Activity) =>
  (sender: Sender): Sender => ({ ...sender, send: (out) => activity.track(sender.send(out), { ms: PATIENCE_MS, name: () => nameOf(out) }) })
