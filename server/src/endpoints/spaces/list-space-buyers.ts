import { anyUser } from '../../access/any-user.ts'
import { forbidden } from '../../api/declare/problem.ts'
import { pageParams } from '../../api/objects/page-token.ts'
import { spaces } from '../../storage/content-tables.ts'
import { listOfUnknown } from '../objects/not-found.ts'
import { objectEndpoint } from '../objects/object-endpoint.ts'
import { pageOfItems } from '../objects/pages.ts'
import { Space } from '../objects/space.ts'
import { userKinds } from '../users/user-kinds.ts'
import { READS_SPACES, spaceId } from './space-kinds.ts'

const NOT_YOURS = 'You are not authorized to see who bought a ticket of this space: you did not create it.'

export const listSpaceBuyers = objectEndpoint(userKinds, {
  name: 'listSpaceBuyers',
  route: 'GET /2/spaces/:id/buyers',
  section: '§2.9',
  summary: 'List the users who bought a ticket of a space of the authenticated user, the latest first.',
  description: 'Tickets are sold by seeds alone: `buyers` of a space.',
  auth: anyUser,
  scopes: READS_SPACES,
  rateLimit: 300,
  isList: true,
  isPaged: true,
  problems: ['forbidden'],
  params: { id: spaceId(), ...pageParams({ max: 100 }) },
  async asked({ params, caller: { user } }, { content }) {
    const { id } = params
    const [space] = await content.rows(spaces, ['creator_id'], [id])
    if (!space) return listOfUnknown({ object: Space, value: id, parameter: 'id' })
    if (space[0] !== user.id) throw forbidden(NOT_YOURS)
    return pageOfItems(content, { of: 'targets', relation: 'space_buyer', source: id }, `space-buyers-${id}`, params)
  },
})
