/** Accepted names of directions with their canonical name. */
export const directions = { sent: 'sent', received: 'received', outbound: 'sent', inbound: 'received' } as const
