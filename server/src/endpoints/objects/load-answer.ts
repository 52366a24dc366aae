import { ObjectAnswer, type PartialError } from '../../api/objects/object-answer.ts'
import type { Kinds } from '../../api/objects/selection.ts'
import type { ObjectPlan } from '../../api/objects/write-object.ts'
import type { GiveWay } from '../../lib/fair-turns.ts'
import type { Content } from '../../storage/content.ts'
import type { ContentRow } from '../../storage/content-tables.ts'
import { AnswerLoader, indexRows, type Viewer } from './answer-loader.ts'
import { hiddenObject, type Section } from './partial-errors.ts'
import { type AnswerPlan, planAnswer } from './plan-answer.ts'

export interface ObjectServices {
  content: Content
  now: () => number
}

/** Which objects an answer is about. */
export interface Asked {
  /** The values that were asked for, in the order of the answer. */
  values: readonly string[]
  /** The column that has them; by default the key. */
  by?: string
  /** How a value is found in that column: usernames in lower case. */
  keyOf?(value: string): string
  /** The parameter that has the values, for errors. Without one the objects are a list, from which those that the viewer may not see are left out. */
  parameter?: string
  /** Whether `data` is a list, or one object. */
  isList: boolean
  meta?: (shown: readonly string[]) => object
  /** Why there are none: the user or post whose list it is is not shown. */
  errors?: readonly PartialError[]
}

/** A page of a list, whose rows are read with it. Those that the viewer may not see are left out. */
export interface AskedPage {
  isList: true
  read(plan: ObjectPlan): Promise<{ rows: readonly ContentRow[]; meta: (shown: readonly string[]) => object }>
  /** Asked where nothing is shown: why there is no list, because the user whose it is is not shown. */
  whyNone?(): Promise<readonly PartialError[]>
}

export type AskedAny = Asked | AskedPage

type Reads = Pick<Content, 'rows' | 'relationsOf'>

/** Rows of so many keys are read at once. */
const KEYS_OF_A_SLICE = 200

/** Content whose rows and relations are read some at a time where there are many, and others are let pass between. */
function readInSlices(content: Reads, giveWay: GiveWay): Reads {
  async function readMany<Row>(keys: readonly string[], readSome: (some: readonly string[]) => Promise<readonly Row[]>): Promise<Row[]> {
    const read: Row[] = []
    for (let from = 0; from < keys.length; from += KEYS_OF_A_SLICE) {
      for (const row of await readSome(keys.slice(from, from + KEYS_OF_A_SLICE))) read.push(row)
      await giveWay()
    }
    return read
  }
  return {
    relationsOf: (userId, others, relations) => readMany(others, (some) => content.relationsOf(userId, some, relations)),
    rows(table, columns, keys, by) {
      if (keys.length > KEYS_OF_A_SLICE) return readMany(keys, (some) => content.rows(table, columns, some, by))
      const others = giveWay()
      return others ? others.then(() => content.rows(table, columns, keys, by)) : content.rows(table, columns, keys, by)
    },
  }
}

/** Shows the rows of a page, as far as the viewer may see them. */
async function showPage({ read, whyNone }: AskedPage, { main }: AnswerPlan, loader: AnswerLoader, giveWay: GiveWay) {
  await giveWay()
  const { rows: found, meta } = await read(main)
  await loader.loadAll(found)
  const rows = found.filter((row) => loader.isShown(main, row, undefined))
  const errors = rows.length === 0 ? await whyNone?.() : undefined
  return errors && errors.length > 0 ? { rows, errors, meta: () => ({ result_count: 0 }) } : { rows, meta }
}

/** Shows the objects with these values; each that is not there is an error. */
async function showAsked(
  { values, by, keyOf = (value) => value, parameter, meta, errors }: Asked,
  { main }: AnswerPlan,
  loader: AnswerLoader,
  content: Reads,
) {
  const column = by ?? main.object.table.key
  const asked = [...new Set(values)]
  const read = await content.rows(main.object.table, main.columns, asked.map(keyOf), column)
  await loader.loadAll(read)
  const found = indexRows(main, read, column)
  const rows: ContentRow[] = []
  for (const value of asked) {
    const row = found.get(keyOf(value))
    const about = parameter === undefined ? undefined : { value, parameter, section: 'data' as Section }
    if (row && loader.isShown(main, row, about)) rows.push(row)
    else if (!row && about) loader.errors.push(hiddenObject('resource-not-found', { object: main.object, ...about }))
  }
  return { rows, errors, meta }
}

/**
 * Answers data objects as a request shapes them (§2.9): with the selected fields, what they refer to in `includes`, and beside them the problems of
 * those that are not there. The number of statements does not depend on how many objects there are.
 */
export async function loadAnswer(
  kinds: Kinds,
  asked: AskedAny,
  params: Readonly<Record<string, unknown>>,
  viewer: Viewer,
  { content: whole, now }: Pick<ObjectServices, 'now'> & { content: Reads },
  giveWay: GiveWay = () => undefined,
): Promise<ObjectAnswer> {
  const content = readInSlices(whole, giveWay)
  const plan = planAnswer(kinds, params)
  const { main } = plan
  const loader = new AnswerLoader(content, plan, viewer)
  const {
    rows,
    errors = [],
    meta,
  } = await ('read' in asked ? showPage(asked, plan, loader, giveWay) : showAsked(asked, plan, loader, content))
  const key = main.placeOf(main.object.table.key)
  return new ObjectAnswer({
    data: rows.length > 0 ? { plan: main, rows, isList: asked.isList } : undefined,
    includes: loader.includes(rows),
    errors: [...errors, ...loader.errors],
    meta: meta?.(rows.map((row) => row[key] as string)),
    shown: { ...loader.shown, nowMs: now() },
  })
}
