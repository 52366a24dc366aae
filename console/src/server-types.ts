import type { OperatorAnswers } from './declared.ts'

/** One item of the list that a call answers. */
type Listed<Call extends keyof OperatorAnswers> = OperatorAnswers[Call] extends { data: (infer Item)[] } ? Item : never

export type LoggedEvent = OperatorAnswers['GET /operator/events/:event_uuid']['data']
export type EventDelivery = LoggedEvent['deliveries'][number]
export type Delivery = Listed<'GET /operator/deliveries'>
export type Attempt = Delivery['attempts'][number]
export type Call = OperatorAnswers['GET /operator/requests/:sequence']['data']
export type Message = Call['request']
export type Webhook = Listed<'GET /operator/webhooks'>
export type App = Listed<'GET /operator/apps'>
export type Server = OperatorAnswers['GET /operator/server']['data']
