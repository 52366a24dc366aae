import { createSender, type Sender } from '../delivery/send/sender.ts'
import type { Base } from './parts.ts'

/** A sender by the settings of this process. In development its requests count as work under way. */
export function createWayOut({ settings, clock, listening, wing }: Base, maxIdleConnections?: number): Sender {
  const sender = createSender({
    clock,
    allow: settings.callbackAllow,
    refuse: () => listening.listeners,
    ca: settings.callbackCa,
    resolver: settings.callbackResolvers,
    maxIdleConnections,
  })
  return wing?.trackSender(sender) ?? sender
}
