import { appOrUser } from '../../access/app-or-user.ts'
import { objectId } from '../../api/declare/words.ts'
import { objectEndpoint } from '../objects/object-endpoint.ts'
import { listKinds, READS_LISTS } from './list-kinds.ts'

export const getList = objectEndpoint(listKinds, {
  name: 'getList',
  route: 'GET /2/lists/:id',
  section: '§2.9',
  summary: 'Get a list.',
  description: 'A private list exists for its owner alone.',
  auth: appOrUser,
  scopes: READS_LISTS,
  rateLimit: 75,
  params: { id: objectId() },
  asked: ({ params }) => ({ values: [params.id], parameter: 'id', isList: false }),
})
