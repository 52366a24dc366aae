import { accountMember, type MemberCaller, type MemberServices } from '../../../access/account-member.ts'
import { adsId } from '../../../api/declare/ads-words.ts'
import { adsProblem } from '../../../api/declare/problem.ts'
import { requires } from '../../../api/declare/rules.ts'
import { integer, notNull, optional, type TSchema } from '../../../api/declare/words.ts'
import { changeAccount, mustInsert, type RecordServices } from '../../../api/records/account-changes.ts'
import { adsEndpoint } from '../../../api/records/ads-endpoint.ts'
import { listEndpoint } from '../../../api/records/list-endpoint.ts'
import { deleteEndpoint, getEndpoint } from '../../../api/records/record-endpoints.ts'
import { show } from '../../../api/records/show.ts'
import type { Ids } from '../../../lib/ids.ts'
import type { AccountTransaction } from '../../../storage/records.ts'
import { POLL_MINUTES } from '../../posts/post-limits.ts'
import { legacySpecs, type MediaUse } from '../card-rules/card-media.ts'
import { typeOfKey } from '../media/media-key.ts'
import { ImageConversationCard, PollCard, VideoConversationCard } from '../resources/card.ts'
import { cardFields } from '../resources/card-fields.ts'
import { assertLibraryMedia, featuresOf, type MediaServices, readMedia } from './card-media.ts'

/** The id of a new poll or conversation card: a snowflake in base 36, whose digits are in the card's URI (public practice). */
export const nextLegacyId = (ids: Ids): string => BigInt(ids.next()).toString(36)

type LegacyResource = typeof PollCard | typeof VideoConversationCard | typeof ImageConversationCard

/** The list of one kind of legacy card. */
const listOfKind = (resource: LegacyResource, name: string, path: string) =>
  listEndpoint<MemberCaller, MemberServices>(resource, {
    name,
    route: `GET /12/accounts/:account_id/cards/${path}`,
    section: '§4.7',
    summary: `List the ${resource.title.toLowerCase()}s of an account.`,
    auth: accountMember(),
    params: { account_id: adsId() },
    scopeOf: ({ accountId }) => ({ account_id: accountId }),
  })

const getOfKind = (resource: LegacyResource, name: string, path: string) =>
  getEndpoint(resource, {
    name,
    route: `GET /12/accounts/:account_id/cards/${path}/:card_id`,
    section: '§4.7',
    summary: `Get ${resource === ImageConversationCard ? 'an' : 'a'} ${resource.title.toLowerCase()}.`,
    auth: accountMember(),
  })

const deleteOfKind = (resource: LegacyResource, name: string, path: string) =>
  deleteEndpoint(resource, {
    name,
    route: `DELETE /12/accounts/:account_id/cards/${path}/:card_id`,
    section: '§4.7',
    summary: `Delete ${resource === ImageConversationCard ? 'an' : 'a'} ${resource.title.toLowerCase()}. Posts keep it.`,
    auth: accountMember({ changes: 'creatives' }),
  })

export const listPollCards = listOfKind(PollCard, 'listPollCards', 'poll')
export const getPollCard = getOfKind(PollCard, 'getPollCard', 'poll')
export const listVideoConversationCards = listOfKind(VideoConversationCard, 'listVideoConversationCards', 'video_conversation')
export const getVideoConversationCard = getOfKind(VideoConversationCard, 'getVideoConversationCard', 'video_conversation')
export const listImageConversationCards = listOfKind(ImageConversationCard, 'listImageConversationCards', 'image_conversation')
export const getImageConversationCard = getOfKind(ImageConversationCard, 'getImageConversationCard', 'image_conversation')
export const deletePollCard = deleteOfKind(PollCard, 'deletePollCard', 'poll')
export const deleteVideoConversationCard = deleteOfKind(VideoConversationCard, 'deleteVideoConversationCard', 'video_conversation')
export const deleteImageConversationCard = deleteOfKind(ImageConversationCard, 'deleteImageConversationCard', 'image_conversation')

const { name, first_choice, second_choice, third_choice, fourth_choice, media_key } = cardFields

const set = <Word extends TSchema>(field: Word) => notNull(field).word as typeof cardFields.name

/** An image or a video of the poll. */
const useOf = (key: string): MediaUse => ({
  key,
  at: 'media_key',
  mayBe: 'an image or a video',
  spec: legacySpecs[typeOfKey(key) === 'IMAGE' ? 'IMAGE' : 'VIDEO'],
})

async function assertMayHaveMedia(transaction: AccountTransaction, accountId: string) {
  const features = await featuresOf(transaction, accountId)
  if (!features.includes('PROMOTED_MEDIA_POLLS'))
    throw adsProblem('FEATURE_NOT_AVAILABLE', 'media_key needs the account feature PROMOTED_MEDIA_POLLS', 'media_key')
}

export const createPollCard = adsEndpoint({
  name: 'createPollCard',
  route: 'POST /12/accounts/:account_id/cards/poll',
  section: '§4.7',
  summary: 'Create a poll card. It cannot be updated.',
  description:
    'The poll is open from now for `duration_in_minutes`. `media_key` is an image of 1.91:1, at least 800 pixels wide, or a video of 16:9, at most 10 ' +
    'minutes long, from the media library of the account; it needs the account feature `PROMOTED_MEDIA_POLLS`.',
  auth: accountMember({ changes: 'creatives' }),
  params: {
    account_id: adsId(),
    name,
    first_choice: set(first_choice),
    second_choice: set(second_choice),
    third_choice: optional(third_choice),
    fourth_choice: optional(fourth_choice),
    duration_in_minutes: integer({ ...POLL_MINUTES, example: 1440 }),
    media_key: optional(media_key),
  },
  rules: [requires('fourth_choice', 'third_choice')],
  data: PollCard.schema,
  async handle({ params: { account_id, ...given }, caller }, services: RecordServices & MediaServices & { ids: Ids }) {
    const { media_key } = given
    const media = await readMedia(media_key ? [media_key] : [], services)
    const card = await changeAccount(caller, services, async (transaction) => {
      if (media_key) await assertMayHaveMedia(transaction, account_id)
      await assertLibraryMedia(transaction, media_key ? [useOf(media_key)] : [], media)
      const duration_in_minutes = String(given.duration_in_minutes)
      return mustInsert(transaction, PollCard, { ...given, id: nextLegacyId(services.ids), duration_in_minutes })
    })
    return { data: await show(PollCard, card, caller.accountId, services) }
  },
})
