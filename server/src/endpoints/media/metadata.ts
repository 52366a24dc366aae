import { endpoint } from '../../api/declare/endpoint.ts'
import { Problem } from '../../api/declare/problem.ts'
import { idOrNumber, object, optional, type TSchema, text } from '../../api/declare/words.ts'
import type { Content } from '../../storage/content.ts'
import { media } from '../../storage/content-tables.ts'
import type { Uploads } from '../../storage/uploads.ts'
import { KEY_PREFIXES } from './categories.ts'
import { ownersOf } from './owners.ts'
import { mediaProblem, withMediaCode } from './upload/media-problem.ts'
import { uploadEndpoint, uploadEndpointV1 } from './upload/upload-words.ts'

/** In characters (public practice). */
const MAX_ALT_TEXT = 1000

const RATE_LIMIT = 500

const altText = () =>
  object({ text: text({ min: 0, max: MAX_ALT_TEXT, description: 'What the media show; empty for none.', example: 'A sailing boat' }) })

const mediaId = () => idOrNumber({ description: 'The id of the media: what follows `_` in its key.' })

const DESCRIPTION =
  'Its owner may, and those whom the upload named as additional owners, before or after a post carries the media. Of a video or GIF the processing must have ended. The field `alt_text` then has it.'

/** The members of a word, and any others, which are passed over. */
const andMore = <Word extends TSchema>(word: Word): Word => ({ ...word, additionalProperties: true })

interface Services {
  content: Content
  uploads: Pick<Uploads, 'find'>
  now: () => number
}

/** The media of an id and a user; throws 404 alike for media that do not exist and for those of others. */
async function ownMedia(userId: string, id: string, parameter: string, { content, uploads, now }: Services): Promise<string> {
  const keys = KEY_PREFIXES.map((prefix) => `${prefix}_${id}`)
  const rows = await content.rows(media, ['media_key', 'owner_id', 'more'], keys)
  const own = rows.find(([, owner, more]) => ownersOf(owner, more).includes(userId))
  if (own) return own[0] as string
  if (await uploads.find(userId, id, now()))
    throw mediaProblem('is an upload that is no media yet: wait until its processing has succeeded', parameter)
  throw new Problem('resource-not-found', {
    detail: `Could not find media of the user with ${parameter}: [${id}].`,
    parameter,
    resource_id: id,
    resource_type: 'media',
    value: id,
  })
}

interface Said {
  userId: string
  /** The id of the media, and the parameter that has it. */
  id: string
  parameter: string
  /** Undefined leaves what there is. */
  altText: string | undefined
}

async function describeMedia({ userId, id, parameter, altText }: Said, services: Services) {
  const key = await ownMedia(userId, id, parameter, services)
  if (altText === undefined) return
  await services.content.change((transaction) => transaction.update(media, key, { alt_text: altText || null }))
}

const metadataWord = () => object({ alt_text: optional(altText()) })

/** `POST /2/media/metadata`. */
export const createMediaMetadata = endpoint({
  ...uploadEndpoint,
  name: 'createMediaMetadata',
  route: 'POST /2/media/metadata',
  summary: 'Say what media show, for those who do not see them.',
  description: `${DESCRIPTION} Other members of \`metadata\` are accepted, without effect.`,
  rateLimit: RATE_LIMIT,
  params: { id: mediaId(), metadata: optional(andMore(metadataWord())) },
  example: { metadata: { alt_text: { text: 'A sailing boat' } } },
  answer: object({ data: object({ id: text(), associated_metadata: metadataWord() }) }),
  problems: ['resource-not-found'],
  async handle({ params: { id, metadata: { alt_text } = {} }, caller: { user } }, services: Services) {
    await describeMedia({ userId: user.id, id, parameter: 'id', altText: alt_text?.text }, services)
    return { data: { id, associated_metadata: alt_text ? { alt_text: { text: alt_text.text } } : {} } }
  },
})

/** `POST /1.1/media/metadata/create.json`. */
export const createMediaMetadataV1 = endpoint({
  ...uploadEndpointV1,
  name: 'createMediaMetadataV1',
  route: 'POST /1.1/media/metadata/create',
  summary: 'Say what media show, for those who do not see them (v1.1 form).',
  description: `${DESCRIPTION} The body is JSON, and \`media_id\` a text or a number.`,
  rateLimit: RATE_LIMIT,
  body: 'json',
  params: { media_id: mediaId(), alt_text: optional(andMore(altText())) },
  example: { alt_text: { text: 'A sailing boat' } },
  answer: object({}),
  answersNothing: true,
  problems: ['resource-not-found'],
  handle: ({ params: { media_id, alt_text }, caller: { user } }, services: Services) =>
    withMediaCode(async () => {
      await describeMedia({ userId: user.id, id: media_id, parameter: 'media_id', altText: alt_text?.text }, services)
      return {}
    }),
})
