import type { EventPayloads, EventTypeAlias, EventTypeName } from './declared.ts'

/** An event type as the kit takes it. */
export type EventName = EventTypeName | EventTypeAlias

/** What an event of a type carries; of another name for it anything. */
// biome-ignore lint/suspicious/noExplicitAny: only the names of event types have declared payloads
export type PayloadOf<Name> = Name extends EventTypeName ? EventPayloads[Name] : any

/** Members with names that are declared. */
type Declared<Value> = { [Name in keyof Value as string extends Name ? never : Name]: Value[Name] }

/** The names of the declared members of a value, at any depth. */
export type MemberNames<Value> = Value extends readonly (infer Item)[]
  ? MemberNames<Item>
  : Value extends object
    ? { [Name in keyof Declared<Value> & string]: Name | MemberNames<NonNullable<Declared<Value>[Name]>> }[keyof Declared<Value> & string]
    : never

/** The body that a webhook receives. */
export interface EventBody<Name> {
  data: {
    /** The same in every retry and replay. */
    event_uuid: string
    /** That of the subscription that matched. */
    filter: { user_id?: string; keyword?: string; direction?: 'sent' | 'received' }
    tag?: string
    event_type: Name
    payload: PayloadOf<Name>
    // biome-ignore lint/suspicious/noExplicitAny: objects of every kind
    includes?: any
  }
}
