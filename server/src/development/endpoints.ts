import { at } from '../api/declare/map.ts'

/** On the general host. */
export const developmentPages = [
  at('GET /oauth/explanations/:explanation_id', 'explanation', () => import('./explain/explanation-endpoint.ts')),
]

/** For the operator. */
export const developmentEndpoints = [
  at('POST /operator/trigger', 'triggerEvent', () => import('./trigger/trigger-event.ts')),
  at('POST /operator/clock', 'moveClock', () => import('./clock/move-clock.ts')),
  at('POST /operator/reset', 'reset', () => import('./snapshots/reset.ts')),
  at('POST /operator/snapshots', 'createSnapshot', () => import('./snapshots/create-snapshot.ts')),
  at('GET /operator/snapshots', 'listSnapshots', () => import('./snapshots/list-snapshots.ts')),
  at('POST /operator/snapshots/:snapshot_id/restore', 'restoreSnapshot', () => import('./snapshots/restore-snapshot.ts')),
  at('DELETE /operator/snapshots/:snapshot_id', 'deleteSnapshot', () => import('./snapshots/delete-snapshot.ts')),
  at('POST /operator/worlds', 'createWorld', () => import('./worlds/create-world.ts')),
  at('DELETE /operator/worlds/:world_id', 'deleteWorld', () => import('./worlds/delete-world.ts')),
  at('GET /operator/requests', 'listRequests', () => import('./requests/list-requests.ts')),
  at('DELETE /operator/requests', 'deleteRequests', () => import('./requests/delete-requests.ts')),
  at('POST /operator/faults', 'createFault', () => import('./faults/create-fault.ts')),
  at('GET /operator/faults', 'listFaults', () => import('./faults/list-faults.ts')),
  at('DELETE /operator/faults/:fault_id', 'deleteFault', () => import('./faults/delete-fault.ts')),
  at('DELETE /operator/faults', 'deleteFaults', () => import('./faults/delete-faults.ts')),
  at('POST /operator/inboxes', 'createInbox', () => import('./inboxes/create-inbox.ts')),
  at('GET /operator/inboxes', 'listInboxes', () => import('./inboxes/list-inboxes.ts')),
  at('GET /operator/inboxes/:inbox_id/events', 'listInboxEvents', () => import('./inboxes/list-inbox-events.ts')),
  at('DELETE /operator/inboxes/:inbox_id', 'deleteInbox', () => import('./inboxes/delete-inbox.ts')),
]
