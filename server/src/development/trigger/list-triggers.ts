import { operator } from '../../access/operator.ts'
import type { Dialect } from '../../api/declare/dialect.ts'
import { endpoint } from '../../api/declare/endpoint.ts'
import { boolean, listOf, nullable, object, oneOf, text } from '../../api/declare/words.ts'
import { eventTypeNames, eventTypes } from '../../delivery/events/event-types.ts'
import { printedExample } from '../../endpoints/events/event-content.ts'
import { eventPayloads } from '../../endpoints/events/event-payloads.ts'
import { namesIn } from '../../endpoints/events/set-member.ts'
import { actions } from './actions.ts'

const triggerSchema = object({
  event_type: text(),
  summary: text(),
  action: nullable(text({ description: 'The call that is made; null for a type that is published as an example.' })),
  about: nullable(
    oneOf(['source', 'target', 'either'], {
      description: 'Whom the event is about: who does it, to whom it is done, or as `direction` says. Null: nobody.',
    }),
  ),
  to_another: boolean({ description: 'Whether a second user takes part.' }),
  takes_text: boolean({ description: 'Whether it may have a `text`.' }),
})

/** Whether an example of a type has a text that can be replaced. */
function hasText(name: (typeof eventTypeNames)[number]): boolean {
  const { text: own, payload } = printedExample(name)
  return own !== undefined || namesIn(payload).includes('text')
}

function triggerView(name: (typeof eventTypeNames)[number], { path }: Dialect) {
  const action = actions[name]
  const { subject, targetAt } = eventPayloads[name]
  const [method, route] = (action?.route.split(' ') ?? []) as [string?, string?]
  return {
    event_type: name,
    summary: eventTypes[name]!.summary,
    action: method === undefined ? null : `${method} ${path(route!)}`,
    about: subject ?? null,
    to_another: action ? action.isToAnother : targetAt !== undefined,
    takes_text: action ? action.textAs !== undefined : hasText(name),
  }
}

export const listTriggers = endpoint({
  name: 'listTriggers',
  route: 'GET /operator/trigger',
  section: '§6',
  summary: 'List what POST /operator/trigger can cause, and how.',
  description: 'Development only. What an event of a type carries is in `webhooks` of `/openapi.json`.',
  auth: operator,
  params: {},
  answer: object({ data: listOf(triggerSchema) }),
  handle: async (_call, { dialect }: { dialect: Dialect }) => ({ data: eventTypeNames.map((name) => triggerView(name, dialect)) }),
})
