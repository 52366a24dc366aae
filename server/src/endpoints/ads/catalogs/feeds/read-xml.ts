import type { Readable } from 'node:stream'
import type { SAXOptions, SAXParser } from 'sax'
import type { SentItem } from '../products/put-items.ts'
import { attributeOf, RowTexts } from './row-items.ts'

const MAX_DEPTH = 32
/** No entity but those of XML is known. The types lack the last option. */
const OPTIONS: SAXOptions & { strictEntities: boolean } = { position: true, strictEntities: true }
/** Of one element. The parser holds them all until the element is open. */
const MAX_ATTRIBUTES = 100
/** Of one element, in characters. */
const MAX_TEXT = 64 * 1024
/** Of one row. */
const MAX_ELEMENTS = 500
/** Of one row. */
const MAX_ROW = 512 * 1024

/** RSS 2.0 has items, Atom has entries. */
const isRow = (name: string) => /^(?:.*:)?(?:item|entry)$/.test(name)

/** A row that is being read. Elements with the prefix `g:` come before those without. */
class Row {
  readonly #plain = new RowTexts()
  readonly #prefixed = new RowTexts()
  #elements = 0
  #characters = 0

  /** Throws beyond what a row may have, of elements at any depth. */
  count(elements: number, characters: number) {
    this.#elements += elements
    this.#characters += characters
    if (this.#elements > MAX_ELEMENTS) throw new Error(`a row has more than ${MAX_ELEMENTS} elements`)
    if (this.#characters > MAX_ROW) throw new Error(`a row has more than ${MAX_ROW} characters`)
  }

  add(element: string, text: string) {
    const name = attributeOf(element)
    if (name !== undefined) (element.startsWith('g:') ? this.#prefixed : this.#plain).add(name, text)
  }

  item = (): SentItem => this.#plain.item(this.#prefixed)
}

/** Collects the rows of a document in `rows` while a parser reads it. */
function collectRows(parser: SAXParser, rows: SentItem[]) {
  const open: string[] = []
  let row: Row | undefined
  let rowDepth = 0
  let text = ''
  let attributeCount = 0

  parser.onattribute = () => {
    attributeCount += 1
    if (attributeCount > MAX_ATTRIBUTES) throw new Error(`an element has more than ${MAX_ATTRIBUTES} attributes`)
  }
  parser.onopentag = ({ name, attributes }) => {
    attributeCount = 0
    open.push(name)
    if (open.length > MAX_DEPTH) throw new Error(`elements are nested more than ${MAX_DEPTH} levels deep`)
    text = ''
    row?.count(1, 0)
    if (!row && isRow(name)) [row, rowDepth] = [new Row(), open.length]
    // The link of an Atom entry is an attribute.
    else if (row && name === 'link' && typeof attributes.href === 'string' && open.length === rowDepth + 1) row.add('link', attributes.href)
  }
  const addText = (more: string) => {
    row?.count(0, more.length)
    if (!row || open.length !== rowDepth + 1) return
    text += more
    if (text.length > MAX_TEXT) throw new Error(`the element ${open.at(-1)} has more than ${MAX_TEXT} characters`)
  }
  parser.ontext = addText
  parser.oncdata = addText
  parser.onclosetag = (name) => {
    if (row && open.length === rowDepth + 1) row.add(name, text)
    if (row && open.length === rowDepth) {
      rows.push(row.item())
      row = undefined
    }
    text = ''
    open.pop()
  }
  parser.onerror = (error) => {
    throw new Error(error.message.split('\n')[0])
  }
}

/** Items of an RSS 2.0 or Atom file. Throws for a file that is malformed. */
export async function* readXml(bytes: Readable): AsyncGenerator<SentItem> {
  const { parser: createParser } = (await import('sax')).default
  const parser = createParser(true, OPTIONS)
  const rows: SentItem[] = []
  collectRows(parser, rows)
  const decoder = new TextDecoder()
  const parse = (text: string) => {
    try {
      parser.write(text)
    } catch (error) {
      throw new Error(`line ${parser.line + 1}: ${(error as Error).message}`)
    }
  }
  for await (const chunk of bytes) {
    parse(decoder.decode(chunk as Buffer, { stream: true }))
    yield* rows.splice(0)
  }
  parse(decoder.decode())
  try {
    parser.close()
  } catch (error) {
    throw new Error(`at the end: ${(error as Error).message}`)
  }
  yield* rows.splice(0)
}
