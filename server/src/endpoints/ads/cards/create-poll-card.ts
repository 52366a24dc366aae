import { accountMember } from '../../../access/account-member.ts'
import { adsId } from '../../../api/declare/ads-words.ts'
import { adsProblem } from '../../../api/declare/problem.ts'
import { requires } from '../../../api/declare/rules.ts'
import { integer, notNull, optional, type TSchema } from '../../../api/declare/words.ts'
import { changeAccount, mustInsert, type RecordServices } from '../../../api/records/account-changes.ts'
import { adsEndpoint } from '../../../api/records/ads-endpoint.ts'
import { show } from '../../../api/records/show.ts'
import type { Ids } from '../../../lib/ids.ts'
import type { AccountTransaction } from '../../../storage/records.ts'
import { POLL_MINUTES } from '../../posts/poll-limits.ts'
import { legacySpecs, type MediaUse } from '../card-rules/card-media.ts'
import { typeOfKey } from '../media/media-key.ts'
import { PollCard } from '../resources/card.ts'
import { cardFields } from '../resources/card-fields.ts'
import { assertLibraryMedia, featuresOf, type MediaServices, readMedia } from './card-media.ts'
import { nextLegacyId } from './legacy-id.ts'

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
    'minutes long, from the media library of the account; it needs the account feature `PROMOTED_MEDIA_POLLS`. Numbers are texts in answers.',
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
