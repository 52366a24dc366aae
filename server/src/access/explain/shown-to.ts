import type { ClientOrigin } from '../client-origin.ts'

const LOOPBACK = /^(127\.\d+\.\d+\.\d+|::1)$/

/** Whether a client may see explanations: one on this machine. They say more than answers do, and development may be open to a network. */
export const isShownTo = ({ address }: Pick<ClientOrigin, 'address'>): boolean => LOOPBACK.test(address)
