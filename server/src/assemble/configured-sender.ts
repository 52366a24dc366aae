import { heldBack } from '../delivery/hold.ts'
import { createSender, type Sender } from '../delivery/send/sender.ts'
import type { Base } from './parts.ts'

/** A sender by the settings of this process, closed while the database is a held copy. In development its requests count as work under way. */
export function configuredSender({ settings, clock, listening, wing, hold }: Base, maxIdleConnections?: number): Sender {
  const sender = createSender({
    clock,
    allow: settings.callbackAllow,
    refuse: () => listening.listeners,
    ca: settings.callbackCa,
    resolver: settings.callbackResolvers,
    maxIdleConnections,
  })
  return heldBack(wing?.trackSender(sender) ?? sender, hold)
}
