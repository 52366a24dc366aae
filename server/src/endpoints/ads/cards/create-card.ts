import { accountMember } from '../../../access/account-member.ts'
import { adsId } from '../../../api/declare/ads-words.ts'
import { changeAccount, mustInsert, type RecordServices } from '../../../api/records/account-changes.ts'
import { adsEndpoint } from '../../../api/records/ads-endpoint.ts'
import { show } from '../../../api/records/show.ts'
import type { Ids } from '../../../lib/ids.ts'
import { Card } from '../resources/card.ts'
import { cardFields } from '../resources/card-fields.ts'
import { assertLibraryMedia, type MediaServices, readMedia } from './card-media.ts'
import { atLeastOne, componentParams, judgeContent, keysIn, mediaUses, oneOfBoth } from './sent-components.ts'

const example = {
  name: 'Spring',
  components: [
    { type: 'MEDIA', media_key: '3_1136048014974423040' },
    { type: 'DETAILS', title: 'Shop', destination: { type: 'WEBSITE', url: 'https://shop.example/' } },
  ],
}

export const createCard = adsEndpoint({
  name: 'createCard',
  route: 'POST /12/accounts/:account_id/cards',
  section: '§4.7',
  summary: 'Create a card from components, or from slides of components.',
  description:
    '`components` is one `MEDIA` or `SWIPEABLE_MEDIA` (2 to 6 items) and one `DETAILS` (website) or `BUTTON` (app), in the order in which they are ' +
    'shown. `slides` are 2 to 6 lists of one `MEDIA` and one `DETAILS`. Media must be in the media library of the account: images at least 800 pixels ' +
    'wide of 1:1 or 1.91:1, videos of 16:9 or 1:1, at most 10 minutes long; ratios within one percent. `card_type` follows from media and components. ' +
    'Null is absent, and undeclared members are ignored. An error names the exact place: `components[1].destination.url`.',
  auth: accountMember({ changes: 'creatives' }),
  body: 'json',
  params: { account_id: adsId(), name: cardFields.name, ...componentParams },
  rules: [atLeastOne, oneOfBoth],
  deferredRules: [{ message: 'the components must be those of a card' }],
  example,
  data: Card.schema,
  async handle({ params: { name, ...sent }, deferred, caller }, services: RecordServices & MediaServices & { ids: Ids }) {
    const { content, errors } = judgeContent(sent)
    deferred.against().throwWith(errors)
    const media = await readMedia(keysIn(content!), services)
    const card = await changeAccount(caller, services, async (transaction) => {
      await assertLibraryMedia(transaction, mediaUses(content!), media)
      return mustInsert(transaction, Card, { id: services.ids.next(), name, ...content })
    })
    return { data: await show(Card, card, caller.accountId, services) }
  },
})
