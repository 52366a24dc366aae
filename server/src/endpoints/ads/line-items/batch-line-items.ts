import { batchEndpoint } from '../../../api/records/batch-endpoint.ts'
import { deleteLineItem } from '../resources/line-item.ts'
import { createLineItem } from './create-line-item.ts'
import { updateLineItem } from './update-line-item.ts'

export const batchLineItems = batchEndpoint({
  name: 'batchLineItems',
  route: 'POST /12/batch/accounts/:account_id/line_items',
  section: '§4.8',
  summary: 'Create, update and delete line items (atomic: all of them or none).',
  max: 40,
  changes: { Create: createLineItem, Update: updateLineItem, Delete: deleteLineItem },
})
