import { stripTypeScriptTypes } from 'node:module'
import { type AnyNode, type Program, parse } from 'acorn'

/** One small change to a source file. */
export interface Mutant {
  file: string
  line: number
  /** The text of that line. */
  source: string
  /** The changed characters of the file, as offsets. */
  start: number
  end: number
  replacement: string
  /** What is changed, for people: `<= → <`, `15 → 16`, `without 'ENGAGEMENTS'`. */
  change: string
  /** Names and texts at the place and around it, which a test that notices it is likely to have. */
  words: readonly string[]
  /** Whether the place changes only what the printed pages say. */
  isDocumentation: boolean
}

type Change = Pick<Mutant, 'start' | 'end' | 'replacement' | 'change'>
/** A node below its ancestors, the nearest last. */
type Rule = (node: AnyNode, ancestors: readonly AnyNode[], code: string) => Change | Change[] | undefined

/** Each operator with the one that differs from it in the fewest cases. */
const OPERATORS: Readonly<Record<string, string>> = {
  '<': '<=',
  '<=': '<',
  '>': '>=',
  '>=': '>',
  '===': '!==',
  '!==': '===',
  '&&': '||',
  '||': '&&',
}

/** Text for people: a change to it breaks no guarantee. */
const PROSE = new Set(['description', 'summary', 'title', 'message', 'detail', 'advice'])

/** Members that declarations have for the printed pages alone. */
const DOCUMENTATION = new Set([...PROSE, 'problems', 'example', 'section', 'scheme'])

const keyOf = (node: AnyNode) => (node.type === 'Property' && 'name' in node.key ? node.key.name : undefined)

const isFunction = (node: AnyNode) => node.type.includes('Function') || node.type === 'MethodDefinition' || node.type === 'StaticBlock'
const isTopLevel = (ancestors: readonly AnyNode[]) => !ancestors.some(isFunction)
const isProse = (node: AnyNode) => PROSE.has(keyOf(node) ?? '')
const shorten = (text: string) => (text.length > 60 ? `${text.slice(0, 57)}…` : text).replaceAll(/\s+/g, ' ')
const replace = ({ start, end }: AnyNode, replacement: string, code: string): Change => {
  return { start, end, replacement, change: `${shorten(code.slice(start, end))} → ${replacement}` }
}

const numbers: Rule = (node, _, code) => {
  if (node.type !== 'Literal') return undefined
  if (typeof node.value === 'number') return replace(node, String(node.value + 1), code)
  if (typeof node.value === 'bigint') return replace(node, `${node.value + 1n}n`, code)
  return typeof node.value === 'boolean' ? replace(node, String(!node.value), code) : undefined
}

const operators: Rule = (node, _, code) => {
  if (node.type !== 'BinaryExpression' && node.type !== 'LogicalExpression') return undefined
  const other = OPERATORS[node.operator]
  if (other === undefined) return undefined
  const start = code.indexOf(node.operator, node.left.end)
  const end = start + node.operator.length
  return { start, end, replacement: other, change: `${shorten(code.slice(node.start, node.end))}: ${node.operator} → ${other}` }
}

/** Strings that are named constants of a module. */
const constants: Rule = (node, ancestors, code) => {
  if (node.type !== 'VariableDeclarator' || !isTopLevel(ancestors)) return undefined
  const isText = node.init?.type === 'Literal' && typeof node.init.value === 'string'
  return isText ? replace(node.init!, "'another'", code) : undefined
}

type Row = AnyNode

/** The words of a piece of code that tell it from others. */
const tellingWords = (code: string) => code.match(/[A-Za-z_][\w.-]{3,}/g) ?? []

/** The names of what a place belongs to: constants, functions and members. */
const namesAround = (ancestors: readonly AnyNode[]) =>
  ancestors.flatMap((node) => {
    if (node.type === 'VariableDeclarator' || node.type === 'FunctionDeclaration') return node.id && 'name' in node.id ? [node.id.name] : []
    return keyOf(node) ?? []
  })

/** A list is a table in full; an object only if its values are alike, so that it maps names to something. */
function rowsOf(node: AnyNode): Row[] {
  if (node.type === 'ArrayExpression') return node.elements.filter((element) => element !== null)
  if (node.type !== 'ObjectExpression') return []
  const types = new Set(node.properties.map((row) => (row.type === 'Property' ? row.value.type : 'spread')))
  return types.size === 1 && node.properties.length > 2 ? node.properties : []
}

/** Rows of the tables of a module, each left out. */
const rows: Rule = (node, ancestors, code) => {
  const found = isTopLevel(ancestors) ? rowsOf(node) : []
  if (found.length < 2) return undefined
  return found.map((row, place) => {
    const [start, end] = place === 0 ? [row.start, found[1]!.start] : [found[place - 1]!.end, row.end]
    return { start, end, replacement: '', change: `without ${shorten(code.slice(row.start, row.end))}` }
  })
}

const rules: readonly Rule[] = [numbers, operators, constants, rows]

const isNode = (value: unknown): value is AnyNode => typeof value === 'object' && value !== null && 'type' in value && 'start' in value

function walk(node: AnyNode, ancestors: readonly AnyNode[], visit: (node: AnyNode, ancestors: readonly AnyNode[]) => void) {
  if (isProse(node) || node.type === 'ImportDeclaration') return
  visit(node, ancestors)
  const below = [...ancestors, node]
  for (const child of Object.values(node).flat()) if (isNode(child)) walk(child, below, visit)
}

/** Every mutant of a TypeScript file: constants, comparisons, and rows of tables. Types are not mutated. */
export function findMutants(file: string, text: string): Mutant[] {
  const code = stripTypeScriptTypes(text)
  const program: Program = parse(code, { ecmaVersion: 'latest', sourceType: 'module' })
  const lines = text.split('\n')
  const mutants: Mutant[] = []
  walk(program, [], (node, ancestors) => {
    const changes = rules.flatMap((rule) => rule(node, ancestors, code) ?? [])
    const isBelowDocumentation = [...ancestors, node].some((each) => DOCUMENTATION.has(keyOf(each) ?? ''))
    for (const change of changes) {
      const changed = code.slice(change.start, change.end)
      const isDocumentation = isBelowDocumentation || DOCUMENTATION.has(/^[\s,]*(\w+):/.exec(changed)?.[1] ?? '')
      const words = [...new Set([...tellingWords(changed), ...namesAround(ancestors)])]
      const line = code.slice(0, change.start).split('\n').length
      mutants.push({ file, line, source: lines[line - 1]!.trim(), ...change, words, isDocumentation })
    }
  })
  return mutants
}

/** The file with the change. */
export const apply = (text: string, { start, end, replacement }: Mutant): string => text.slice(0, start) + replacement + text.slice(end)
