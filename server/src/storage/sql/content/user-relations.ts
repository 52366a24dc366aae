import { relations } from '../../content-tables.ts'

/** An end of a relation. */
export type End = 'source' | 'target'

/** Relations that lists, conversations, spaces and media begin; all others begin at a user. */
const BEGUN_BY_OTHERS: readonly string[] = ['list_member', 'dm_participant', 'media_post', 'media_conversation', 'space_buyer']

/** Relations that end at a user. */
const ENDING_AT_USERS: readonly string[] = ['follow', 'mute', 'block', 'list_member', 'dm_participant', 'space_buyer']

/** The relations that have a user at an end. */
export const atEnd = (end: End): readonly string[] =>
  end === 'source' ? relations.filter((relation) => !BEGUN_BY_OTHERS.includes(relation)) : ENDING_AT_USERS
