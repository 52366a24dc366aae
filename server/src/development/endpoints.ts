import type { Endpoint } from '../api/declare/endpoint.ts'
import { adsEndpoints, generalEndpoints, operatorEndpoints } from '../endpoints/index.ts'
import { moveClock } from './clock/move-clock.ts'
import { explanation } from './explain/explanation-endpoint.ts'
import { createFault } from './faults/create-fault.ts'
import { deleteFault } from './faults/delete-fault.ts'
import { deleteFaults } from './faults/delete-faults.ts'
import { listFaults } from './faults/list-faults.ts'
import { createInbox } from './inboxes/create-inbox.ts'
import { deleteInbox } from './inboxes/delete-inbox.ts'
import { listInboxEvents } from './inboxes/list-inbox-events.ts'
import { listInboxes } from './inboxes/list-inboxes.ts'
import { deleteRequests } from './requests/delete-requests.ts'
import { listRequests } from './requests/list-requests.ts'
import { createSnapshot } from './snapshots/create-snapshot.ts'
import { deleteSnapshot } from './snapshots/delete-snapshot.ts'
import { listSnapshots } from './snapshots/list-snapshots.ts'
import { reset } from './snapshots/reset.ts'
import { restoreSnapshot } from './snapshots/restore-snapshot.ts'
import { triggerEvent } from './trigger/trigger-event.ts'
import { createWorld } from './worlds/create-world.ts'
import { deleteWorld } from './worlds/delete-world.ts'

/** On the general host. */
export const developmentPages = [explanation]

/** For the operator. */
export const developmentEndpoints = [
  triggerEvent,
  moveClock,
  reset,
  createSnapshot,
  listSnapshots,
  restoreSnapshot,
  deleteSnapshot,
  createWorld,
  deleteWorld,
  listRequests,
  deleteRequests,
  createFault,
  listFaults,
  deleteFault,
  deleteFaults,
  createInbox,
  listInboxes,
  listInboxEvents,
  deleteInbox,
]

/** The whole map: what development serves. */
export const allEndpoints = [
  ...generalEndpoints,
  ...adsEndpoints,
  ...developmentPages,
  ...operatorEndpoints,
  ...developmentEndpoints,
] as unknown as readonly Endpoint[]
