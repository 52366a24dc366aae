import { accountMember } from '../../../access/account-member.ts'
import { adsId } from '../../../api/declare/ads-words.ts'
import { nullable, optional } from '../../../api/declare/words.ts'
import { changeAccount, mustGet, type RecordServices } from '../../../api/records/account-changes.ts'
import { adsEndpoint } from '../../../api/records/ads-endpoint.ts'
import { show } from '../../../api/records/show.ts'
import { Card } from '../resources/card.ts'
import { type CardRecord, cardFields } from '../resources/card-fields.ts'
import { assertLibraryMedia, type MediaServices, readMedia } from './card-media.ts'
import { componentParams, judgeContent, keysIn, newUses, oneOfBoth } from './sent-components.ts'

export const updateCard = adsEndpoint({
  name: 'updateCard',
  route: 'PUT /12/accounts/:account_id/cards/:card_id',
  section: '§4.7',
  summary: 'Update a card. Each given field replaces the former; `card_type` follows from media and components again.',
  description: '`components` replace `slides`, and the other way round. Null is absent, and undeclared members are ignored.',
  auth: accountMember({ changes: 'creatives' }),
  body: 'json',
  params: { account_id: adsId(), card_id: adsId(), name: optional(nullable(cardFields.name)), ...componentParams },
  rules: [oneOfBoth],
  deferredRules: [{ message: 'the components must be those of a card' }],
  data: Card.schema,
  async handle({ params: { card_id, name, ...sent }, deferred, caller }, services: RecordServices & MediaServices) {
    const { content, errors } = judgeContent(sent)
    deferred.against().throwWith(errors)
    const media = await readMedia(content ? keysIn(content) : [], services)
    const card = await changeAccount(caller, services, async (transaction) => {
      const existing = await mustGet(transaction, Card, card_id)
      await assertLibraryMedia(transaction, content ? newUses(existing, content) : [], media)
      return transaction.update(Card, existing, { ...(name && { name }), ...content } as Partial<CardRecord>)
    })
    return { data: await show(Card, card, caller.accountId, services) }
  },
})
