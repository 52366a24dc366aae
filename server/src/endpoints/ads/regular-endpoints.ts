import { accountMember, type MemberCaller, type MemberOptions, type MemberServices } from '../../access/account-member.ts'
import { adsId } from '../../api/declare/ads-words.ts'
import type { Endpoint } from '../../api/declare/endpoint.ts'
import type { Params } from '../../api/declare/words.ts'
import type { RecordServices } from '../../api/records/account-changes.ts'
import type { ChangeEndpoint } from '../../api/records/change-endpoint.ts'
import { type ListDeclaration, type ListEndpoint, listEndpoint } from '../../api/records/list-endpoint.ts'
import { deleteEndpoint, getEndpoint } from '../../api/records/record-endpoints.ts'
import type { Resource } from '../../api/records/resource.ts'
import type { StoredRecord } from '../../storage/records.ts'

/** Pascal case: `'line_items'` and `'Line items'` become `'LineItems'`. */
type Pascal<Text extends string> = Text extends `${infer Word}_${infer Rest}`
  ? `${Capitalize<Word>}${Pascal<Rest>}`
  : Text extends `${infer Word} ${infer Rest}`
    ? `${Capitalize<Word>}${Pascal<Rest>}`
    : Capitalize<Text>

const pascal = (text: string) => text.replace(/(?:^|[_ ])(\w)/g, (_, letter: string) => letter.toUpperCase())

/** Overrides for one of the endpoints. */
interface Overrides {
  summary?: string
  description?: string
}

export interface RegularOptions {
  /** The path of the list: `/12/accounts/:account_id/campaigns`. */
  route: `/12/accounts/:account_id/${string}`
  /** The section of the specification: `§4.8`. */
  section: string
  /** What `accountMember` checks for deletion: which members may delete a record. */
  changes: NonNullable<MemberOptions['changes']>
  /** The parameter with the key, where it is not named after the title: `card_id`. */
  keyParam?: string
  list?: Overrides & Pick<ListDeclaration<MemberCaller, MemberServices>, 'page'>
  get?: Overrides
  delete?: Overrides & { sandboxOnly?: boolean }
}

/** `listCampaigns`, `getCampaign` and `deleteCampaign` of the resource `campaigns` with the title `Campaign`. */
export type RegularEndpoints<Title extends string, Name extends string> = Record<
  `list${Pascal<Name>}`,
  ListEndpoint<MemberServices & RecordServices>
> &
  Record<`get${Pascal<Title>}`, Endpoint<MemberServices & RecordServices>> &
  Record<`delete${Pascal<Title>}`, ChangeEndpoint<MemberServices & RecordServices>>

/**
 * Declares the regular endpoints of a resource of an account (§4.4): list, get and delete. Names, summaries and the parameter of the key are
 * derived from the resource's name, title and key. Export those that the API has. An endpoint that differs in more than its texts has its
 * own file.
 */
export function regularEndpoints<R extends StoredRecord, F extends Params, Title extends string, Name extends string>(
  resource: Resource<R, F, Title, Name>,
  { route, section, changes, keyParam, list, get, delete: deletion }: RegularOptions,
) {
  const title = resource.title.toLowerCase()
  const article = /^[aeiou]/.test(title) ? 'an' : 'a'
  const key = keyParam ?? (resource.key === 'id' ? `${title.replaceAll(' ', '_')}_id` : resource.key)
  const ofOne = `${route}/:${key}` as const
  const endpoints = [
    listEndpoint(resource, {
      name: `list${pascal(resource.table)}`,
      route: `GET ${route}`,
      section,
      summary: `List the ${resource.table.replaceAll('_', ' ')} of an account.`,
      auth: accountMember(),
      params: { account_id: adsId() },
      scopeOf: ({ accountId }) => ({ account_id: accountId }),
      ...list,
    }),
    getEndpoint(resource, {
      name: `get${pascal(resource.title)}`,
      route: `GET ${ofOne}`,
      section,
      summary: `Get ${article} ${title}.`,
      auth: accountMember(),
      ...get,
    }),
    deleteEndpoint(resource, {
      name: `delete${pascal(resource.title)}`,
      route: `DELETE ${ofOne}`,
      section,
      summary: `Delete ${article} ${title}.`,
      auth: accountMember({ changes }),
      ...deletion,
    }),
  ]
  return Object.fromEntries(endpoints.map((endpoint) => [endpoint.name, endpoint])) as unknown as RegularEndpoints<Title, Name>
}
