import type { Dialect } from '../../api/declare/dialect.ts'
import type { Endpoint } from '../../api/declare/endpoint.ts'
import type { Described } from '../../api/openapi.ts'
import { describedEvents } from '../events/described-events.ts'
import { groups } from './groups.ts'
import { introduction } from './introduction.ts'

/** What the OpenAPI description of some endpoints is printed from. */
export const describe = (endpoints: readonly Endpoint[], dialect: Dialect): Described => ({
  endpoints,
  events: describedEvents(dialect),
  introduction,
  groups,
})
