import type { AppCaller } from '../../access/app-bearer.ts'
import { appOrUser } from '../../access/app-or-user.ts'
import { commaList, matching } from '../../api/declare/words.ts'
import type { Content } from '../../storage/content.ts'
import type { Asked } from '../objects/load-answer.ts'
import { Media } from '../objects/media.ts'
import { objectEndpoint, viewerOf } from '../objects/object-endpoint.ts'

const mediaKey = () =>
  matching('^([0-9]+)_([0-9]+)$', { example: '3_1136048014974423040', mustBe: 'a media key like 3_1136048014974423040' })

const description = 'Media that neither a visible post nor a conversation of the authenticated user carries are seen by their owner alone.'

const lookup = { section: '§2.9', description, auth: appOrUser, scopes: ['post.read'], rateLimit: 300 } as const

/** No media have this key. */
const NONE = ''

/** Media that the caller does not see are answered like unknown ones: nobody learns that there are. */
async function asked(values: readonly string[], caller: AppCaller, content: Content): Promise<Pick<Asked, 'values' | 'keyOf'>> {
  const seen = new Set(await content.seenMedia(values, { viewerId: viewerOf(caller) }))
  return { values, keyOf: (key) => (seen.has(key) ? key : NONE) }
}

export const listMedia = objectEndpoint([Media], {
  ...lookup,
  name: 'listMedia',
  route: 'GET /2/media',
  summary: 'Get up to 100 media by their keys.',
  params: { media_keys: commaList(mediaKey(), { max: 100, example: ['3_1136048014974423040'] }) },
  isList: true,
  asked: async ({ params, caller }, { content }) => ({
    ...(await asked(params.media_keys, caller, content)),
    parameter: 'media_keys',
    isList: true,
  }),
})

export const getMedia = objectEndpoint([Media], {
  ...lookup,
  name: 'getMedia',
  route: 'GET /2/media/:media_key',
  summary: 'Get media by its key.',
  params: { media_key: mediaKey() },
  asked: async ({ params, caller }, { content }) => ({
    ...(await asked([params.media_key], caller, content)),
    parameter: 'media_key',
    isList: false,
  }),
})
