import { type Entities, entitiesOf } from './entities.ts'

/** What a search sees of a post. Ids are decimal texts. */
export interface SearchablePost {
  text: string
  entities: Entities
  authorId?: string
  isAuthorVerified?: boolean
  /** As a language tag: `en`, `zh-TW`. */
  lang?: string
  mentionedIds?: readonly string[]
  conversationId?: string
  /** The author of the post that this one replies to. */
  inReplyToUserId?: string
  isReply?: boolean
  isQuote?: boolean
  isRepost?: boolean
  isNullcast?: boolean
  mediaKinds?: readonly ('photo' | 'video' | 'animated_gif')[]
  hasGeo?: boolean
  likes?: number
  replies?: number
  reposts?: number
}

/** A text of which nothing else is known. */
export const searchableText = (text: string): SearchablePost => ({ text, entities: entitiesOf(text) })
