import { accountMember, type MemberCaller, type MemberServices } from '../../../access/account-member.ts'
import { adsId } from '../../../api/declare/ads-words.ts'
import { listEndpoint } from '../../../api/records/list-endpoint.ts'
import { deleteEndpoint, getEndpoint } from '../../../api/records/record-endpoints.ts'
import { ImageConversationCard, PollCard, VideoConversationCard } from '../resources/card.ts'

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
