import { alias, type Consent, type EventAlias, type EventType, eventFamily } from './event-type.ts'

const READS_MESSAGES: Consent = { access: 'read_write_dm', scopes: ['dm.read'] }

const conversation = (summary: string, subject: string, aliases: readonly EventAlias[] = []): EventType => ({
  summary,
  subject,
  filter: ['userId', 'direction'],
  consent: READS_MESSAGES,
  aliases,
})

type Routes = NonNullable<EventType['madeBy']>

const SENDING: Routes = [
  'POST /2/dm_conversations/with/:participant_id/messages',
  'POST /2/dm_conversations/:dm_conversation_id/messages',
  'POST /2/dm_conversations',
]
const READING: Routes = ['POST /1.1/direct_messages/mark_read']
const TYPING: Routes = ['POST /1.1/direct_messages/indicate_typing']

const made = (madeBy: Routes, type: EventType): EventType => ({ ...type, madeBy })

const RECIPIENT = 'the user who receives the message'
const SENDER = 'the user who sends the message'
const MEMBER = 'a member of the conversation'

/** Direct messages (§6). */
export const directMessageEvents = eventFamily({
  'dm.received': made(SENDING, conversation('A user received a direct message.', RECIPIENT)),
  'dm.sent': made(SENDING, conversation('A user sent a direct message.', SENDER)),
  'dm.read': made(
    READING,
    conversation('A user read direct messages.', 'the user who reads (`sent`), or the one whose messages were read (`received`)'),
  ),
  'dm.indicate_typing': made(
    TYPING,
    conversation('A user is typing a direct message.', 'the user who types (`sent`), or the one who is written to (`received`)'),
  ),
})

/** Encrypted conversations. */
export const chatEvents = eventFamily({
  'chat.received': conversation('A user received an encrypted message.', RECIPIENT),
  'chat.sent': conversation('A user sent an encrypted message.', SENDER),
  'chat.conversation_join': conversation('A user joined an encrypted conversation.', MEMBER, alias('chat.conversation.join')),
  'chat.conversation.member_added': conversation('A member was added to an encrypted conversation.', MEMBER),
  'chat.conversation.member_removed': conversation('A member was removed from an encrypted conversation.', MEMBER),
  'chat.conversation.admin_added': conversation('An administrator was added to an encrypted conversation.', MEMBER),
  'chat.conversation.admin_removed': conversation('An administrator was removed from an encrypted conversation.', MEMBER),
  'chat.update.group_name': conversation('The name of an encrypted group was changed.', MEMBER),
  'chat.update.restrictions': conversation('The restrictions of an encrypted conversation were changed.', MEMBER),
})
