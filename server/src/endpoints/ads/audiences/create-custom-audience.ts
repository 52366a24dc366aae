import { accountMember } from '../../../access/account-member.ts'
import { optionals, pick } from '../../../api/declare/words.ts'
import { createEndpoint } from '../../../api/records/record-endpoints.ts'
import { LEAST_USERS } from '../resources/audience-state.ts'
import { CustomAudience } from '../resources/custom-audience.ts'
import { assertNameIsFree } from './audience-name.ts'

export const createCustomAudience = createEndpoint(CustomAudience, {
  name: 'createCustomAudience',
  route: 'POST /12/accounts/:account_id/custom_audiences',
  section: '§4.6',
  summary: 'Create a custom audience, without users.',
  description: `The name must be unique in the account. An audience is \`PROCESSING\` until its first users were written, and \`TOO_SMALL\` to be targeted with fewer than ${LEAST_USERS}.`,
  auth: accountMember({ changes: 'audiences' }),
  params: { ...pick(CustomAudience.fields, 'name'), ...optionals(pick(CustomAudience.fields, 'description')) },
  before: (transaction, { name }) => assertNameIsFree(transaction, name),
})
