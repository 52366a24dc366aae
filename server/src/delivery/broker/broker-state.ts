/**
 * What a process does about its broker: `away`, the broker cannot be used; `paused`, nothing is taken, because no event can be accepted or
 * this is a held copy.
 */
export const brokerStates = ['consuming', 'paused', 'away'] as const

export type BrokerState = (typeof brokerStates)[number]
