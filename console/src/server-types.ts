import type { OperatorAnswers } from './declared.ts'

/** One item of the list that a call answers. */
type Listed<Call extends keyof OperatorAnswers> = OperatorAnswers[Call] extends { data: (infer Item)[] } ? Item : never

export type LoggedEvent = OperatorAnswers['GET /operator/events/:event_uuid']['data']
export type EventDelivery = LoggedEvent['deliveries'][number]
export type Delivery = Listed<'GET /operator/deliveries'>
export type Attempt = Delivery['attempts'][number]
export type Call = OperatorAnswers['GET /operator/requests/:sequence']['data']
export type Message = Call['request']
export type Update = NonNullable<OperatorAnswers['GET /operator/feed']['updates']>[number]
export type Webhook = Listed<'GET /operator/webhooks'>
export type App = Listed<'GET /operator/apps'>
export type Server = OperatorAnswers['GET /operator/server']['data']
export type Overview = OperatorAnswers['GET /operator/overview']['data']
export type Consent = Listed<'GET /operator/users/:user_id/consents'>
export type AuditEntry = Listed<'GET /operator/audit'>
export type CredentialFailure = Listed<'GET /operator/audit/failures'>
export type Replay = Listed<'GET /operator/replays'>
export type ServerProcess = Listed<'GET /operator/processes'>
export type StorageFacts = OperatorAnswers['GET /operator/storage']['data']
export type Trigger = Listed<'GET /operator/trigger'>
export type Triggered = OperatorAnswers['POST /operator/trigger']
export type ServerClock = OperatorAnswers['GET /operator/clock']['data']
export type Happened = OperatorAnswers['POST /operator/clock']
export type Keys = OperatorAnswers['GET /operator/keys']
export type Fault = Listed<'GET /operator/faults'>
export type Disorder = Listed<'GET /operator/disorders'>
export type Drawn = OperatorAnswers['GET /operator/disorders/:disorder_id']['data']['drawn'][number]
export type Inbox = Listed<'GET /operator/inboxes'>
export type InboxEvents = OperatorAnswers['GET /operator/inboxes/:inbox_id/events']
export type Snapshot = Listed<'GET /operator/snapshots'>
export type World = OperatorAnswers['POST /operator/worlds']['data']
export type NearMissList = OperatorAnswers['GET /operator/events/:event_uuid/near_misses']
export type NearMiss = NearMissList['data'][number]
export type CallNearMisses = OperatorAnswers['GET /operator/requests/:sequence/near_misses']['data']
export type WebhookSubscription = Listed<'GET /operator/webhooks/:webhook_id/subscriptions'>
export type Usage = OperatorAnswers['GET /operator/usage']
export type AppUsage = Listed<'GET /operator/usage'>
export type ResendJob = Listed<'GET /operator/resends'>
export type User = Listed<'GET /operator/users'>
