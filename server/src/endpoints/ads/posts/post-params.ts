import { decimalId } from '../../../api/declare/ads-words.ts'
import { atLeastOneOf, type Rule, requires } from '../../../api/declare/rules.ts'
import { boolean, commaList, defaulting, nullable, oneOf, optional, text } from '../../../api/declare/words.ts'
import { textFits, textIsPlain } from '../../posts/post-limits.ts'
import { cardUri, videoDescription, videoTitle, webUrl } from '../creative-words.ts'
import { mediaKeyWord } from '../media/media-key.ts'

/** The parameters of a post's video. */
const video = {
  video_cta: oneOf(['VISIT_SITE', 'WATCH_NOW'], { description: 'The call to action below the video.' }),
  video_cta_value: webUrl({ example: 'https://example.com/' }),
  video_title: videoTitle(),
  video_description: videoDescription(),
}

export const VIDEO_PARAMS = Object.keys(video) as (keyof typeof video)[]

/** The parameters that say what a post is, published now or later (§4.7). */
export const contentParams = {
  text: optional(text({ min: 0, example: 'Hello' })),
  card_uri: optional(cardUri()),
  media_keys: optional(
    commaList(mediaKeyWord(), {
      max: 4,
      description: 'Up to 4 images, or 1 GIF, or 1 video: of the author, of the authenticated user or of the media library of the account.',
    }),
  ),
  name: optional(nullable(text({ max: 80 }))),
  nullcast: defaulting(
    boolean({ description: 'Whether the post is for promotion only. False only for posts of the authenticated user.' }),
    true,
  ),
  video_cta: optional(video.video_cta),
  video_cta_value: optional(video.video_cta_value),
  video_title: optional(video.video_title),
  video_description: optional(video.video_description),
}

export const asUserId = decimalId({
  example: '101',
  description: 'The author: the authenticated user, or with the permission TWEET_COMPOSER the full promotable user of the account.',
})

/** Whose posts a list has. */
export const listedAuthor = optional(
  decimalId({
    example: '101',
    description:
      'The author: the authenticated user or a promotable user of the account. By default its full promotable user, else the authenticated user.',
  }),
)

const isNotBlank: Rule = {
  message: '`text` must not be blank without media',
  parameters: ['text'],
  code: 'TWEET_CANNOT_BE_BLANK',
  holds: ({ text, media_keys }) => typeof text !== 'string' || text.trim() !== '' || media_keys !== undefined,
}

const ofVideo: readonly Rule[] = [
  requires('video_cta', 'video_cta_value'),
  requires('video_cta_value', 'video_cta'),
  ...VIDEO_PARAMS.map((name) => requires(name, 'media_keys')),
]

/** Rules of a change of a post: what is not sent stays. */
export const changeRules: readonly Rule[] = [textFits, textIsPlain]

/** Rules of a new post. */
export const contentRules: readonly Rule[] = [...changeRules, isNotBlank, atLeastOneOf('text', 'media_keys'), ...ofVideo]

/** Who may reply to a post, as the advertising API and the general API call it. */
export const CONVERSATION_SETTINGS = { EVERYONE: 'everyone', FOLLOWING: 'following', MENTIONED_USERS: 'mentionedUsers' } as const

type ConversationSetting = keyof typeof CONVERSATION_SETTINGS

export const conversationSettings = oneOf(Object.keys(CONVERSATION_SETTINGS) as ConversationSetting[], {
  description: 'Who may reply.',
})

/** What was sent of a video, by parameter. */
export const videoOf = (sent: object): Record<string, string> =>
  Object.fromEntries(
    VIDEO_PARAMS.flatMap((name) => {
      const value = (sent as Record<string, unknown>)[name]
      return typeof value === 'string' ? [[name, value]] : []
    }),
  )
