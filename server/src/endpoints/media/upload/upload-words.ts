import { signedUserWith, userWith } from '../../../access/user-with.ts'
import { anything, boolean, commaList, describedAs, id, integer, oneOf, text } from '../../../api/declare/words.ts'
import { mediaProblem } from './media-problem.ts'
import { mediaTypes, uploadCategories } from './upload-kinds.ts'

/** Indices of segments are 0 to 999, so a file has at most a thousand. */
const MAX_SEGMENT_INDEX = 999

const MAX_OWNERS = 100

/** A segment as base64 in a body that is read whole: of 5 MB, with what stands around it. */
export const BASE64_BODY_BYTES = 8 * 1024 * 1024

const owner = id()

export const uploadWords = {
  media_id: id({ description: 'The id of the upload.' }),
  total_bytes: integer({ min: 1, description: 'The size of the whole file.', example: 100 }),
  media_type: describedAs(text({ min: 0, example: 'image/png' }), oneOf(Object.keys(mediaTypes))),
  media_category: describedAs(text({ min: 0 }), oneOf(uploadCategories)),
  segment_index: integer({
    min: 0,
    max: MAX_SEGMENT_INDEX,
    description: 'Where the segment stands in the file, counted from 0.',
    example: 0,
  }),
  additional_owners: describedAs(
    anything<unknown>(),
    commaList(owner, { max: MAX_OWNERS, description: 'Users who may use the media too: in posts, and by its key.' }),
  ),
  shared: boolean({ description: 'Accepted, without effect.' }),
  base64: text({ min: 0, description: 'Base64 of the bytes.' }),
}

/** Users who may use the media beside the one who uploads: a list, one id, or ids between commas. Throws 400. */
export function readOwners(sent: unknown): string[] {
  const list = sent === undefined || Array.isArray(sent) ? sent : [sent]
  const owners = typeof sent === 'string' ? sent.split(',').map((one) => one.trim()) : list
  if (owners === undefined || (Array.isArray(owners) && owners.every((one) => one === ''))) return []
  const isList = Array.isArray(owners) && owners.every((one) => /^[0-9]{1,19}$/.test(String(one)))
  if (!isList || owners.length > MAX_OWNERS) throw mediaProblem(`must be at most ${MAX_OWNERS} ids of users`, 'additional_owners')
  return owners.map(String)
}

/** What the endpoints of uploads have in common. */
export const uploadEndpoint = { section: '§4.7', auth: userWith('read_write'), scopes: ['media.write'] } as const

/** The same under `/1.1/`, where OAuth 1.0a alone is taken. */
export const uploadEndpointV1 = { section: '§4.7', auth: signedUserWith('read_write') } as const
