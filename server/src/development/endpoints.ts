import { at } from '../api/declare/map.ts'

/** On the general host. */
export const developmentPages = [
  at('GET /oauth/explanations/:explanation_id', 'explanation', () => import('./explain/explanation-endpoint.ts')),
]

/** For the operator. */
export const developmentEndpoints = [
  at('POST /operator/local-session', 'createLocalSession', () => import('./console/local-session.ts')),
  at('POST /operator/trigger', 'triggerEvent', () => import('./trigger/trigger-event.ts')),
  at('GET /operator/trigger', 'listTriggers', () => import('./trigger/list-triggers.ts')),
  at('GET /operator/keys', 'getKeys', () => import('./start-page/get-keys.ts')),
  at('POST /operator/settle', 'settle', () => import('./settle/settle.ts')),
  at('POST /operator/clock', 'moveClock', () => import('./clock/move-clock.ts')),
  at('GET /operator/clock', 'getClock', () => import('./clock/get-clock.ts')),
  at('POST /operator/reset', 'reset', () => import('./snapshots/snapshot-endpoints.ts')),
  at('POST /operator/snapshots', 'createSnapshot', () => import('./snapshots/snapshot-endpoints.ts')),
  at('GET /operator/snapshots', 'listSnapshots', () => import('./snapshots/snapshot-endpoints.ts')),
  at('POST /operator/snapshots/:snapshot_id/restore', 'restoreSnapshot', () => import('./snapshots/snapshot-endpoints.ts')),
  at('DELETE /operator/snapshots/:snapshot_id', 'deleteSnapshot', () => import('./snapshots/snapshot-endpoints.ts')),
  at('POST /operator/worlds', 'createWorld', () => import('./worlds/worlds.ts')),
  at('DELETE /operator/worlds/:world_id', 'deleteWorld', () => import('./worlds/worlds.ts')),
  at('GET /operator/requests', 'listRequests', () => import('./requests/request-endpoints.ts')),
  at('GET /operator/requests/:sequence', 'getRequest', () => import('./requests/request-endpoints.ts')),
  at('GET /operator/requests/:sequence/near_misses', 'listCallNearMisses', () => import('./requests/list-call-near-misses.ts')),
  at('DELETE /operator/requests', 'deleteRequests', () => import('./requests/request-endpoints.ts')),
  at('POST /operator/faults', 'createFault', () => import('./faults/fault-endpoints.ts')),
  at('GET /operator/faults', 'listFaults', () => import('./faults/fault-endpoints.ts')),
  at('DELETE /operator/faults/:fault_id', 'deleteFault', () => import('./faults/fault-endpoints.ts')),
  at('DELETE /operator/faults', 'deleteFaults', () => import('./faults/fault-endpoints.ts')),
  at('POST /operator/disorders', 'createDisorder', () => import('./faults/disorder-endpoints.ts')),
  at('GET /operator/disorders', 'listDisorders', () => import('./faults/disorder-endpoints.ts')),
  at('GET /operator/disorders/:disorder_id', 'getDisorder', () => import('./faults/disorder-endpoints.ts')),
  at('DELETE /operator/disorders/:disorder_id', 'deleteDisorder', () => import('./faults/disorder-endpoints.ts')),
  at('POST /operator/inboxes', 'createInbox', () => import('./inboxes/inbox-endpoints.ts')),
  at('GET /operator/inboxes', 'listInboxes', () => import('./inboxes/inbox-endpoints.ts')),
  at('GET /operator/inboxes/:inbox_id/events', 'listInboxEvents', () => import('./inboxes/list-inbox-events.ts')),
  at('DELETE /operator/inboxes/:inbox_id', 'deleteInbox', () => import('./inboxes/inbox-endpoints.ts')),
]
