import { createSender, type Outgoing, type Sender } from '../delivery/send/sender.ts'
import { noActivity } from '../lib/activity.ts'
import type { Base } from './parts.ts'

/** A moved clock does not wait longer for one answer, in real time: its deadline is a timer too. */
const PATIENCE_MS = 1000

const nameOf = ({ method, to }: Outgoing) => `${method} ${typeof to === 'string' ? to : to.origin + to.path}`.replace(/\?.*/, '')

/** A sender by the settings of this process, whose requests count as work under way. */
export function createTrackedSender({ settings, clock, listening, activity }: Base, maxIdleConnections?: number): Sender {
  const sender = createSender({
    clock,
    allow: settings.callbackAllow,
    refuse: () => listening.listeners,
    ca: settings.callbackCa,
    resolver: settings.callbackResolvers,
    maxIdleConnections,
  })
  if (activity === noActivity) return sender
  return { ...sender, send: (out) => activity.track(sender.send(out), { ms: PATIENCE_MS, name: () => nameOf(out) }) }
}
