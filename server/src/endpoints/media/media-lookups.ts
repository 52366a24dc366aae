import { appOrUser } from '../../access/app-or-user.ts'
import { commaList, matching } from '../../api/declare/words.ts'
import { Media } from '../objects/media.ts'
import { objectEndpoint } from '../objects/object-endpoint.ts'

const mediaKey = () =>
  matching('^([0-9]+)_([0-9]+)$', { example: '3_1136048014974423040', mustBe: 'a media key like 3_1136048014974423040' })

const lookup = { section: '§2.9', auth: appOrUser, scopes: ['post.read'], rateLimit: 300 } as const

export const listMedia = objectEndpoint([Media], {
  ...lookup,
  name: 'listMedia',
  route: 'GET /2/media',
  summary: 'Get up to 100 media by their keys.',
  params: { media_keys: commaList(mediaKey(), { max: 100, example: ['3_1136048014974423040'] }) },
  isList: true,
  asked: ({ params }) => ({ values: params.media_keys, parameter: 'media_keys', isList: true }),
})

export const getMedia = objectEndpoint([Media], {
  ...lookup,
  name: 'getMedia',
  route: 'GET /2/media/:media_key',
  summary: 'Get media by its key.',
  params: { media_key: mediaKey() },
  asked: ({ params }) => ({ values: [params.media_key], parameter: 'media_key', isList: false }),
})
