import { useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { useRef } from 'preact/hooks'
import { type Json, readJson, writeJson } from './exact-json.ts'
import { CopyButton } from './parts/copy.tsx'

/** Deeper values are closed at first. */
const OPEN_DEPTH = 2
/** Of a longer list the rest is shown when it is asked for. */
const PAGE = 100

const isBranch = (value: Json) => (value.type === 'object' ? value.members.length > 0 : value.type === 'array' && value.items.length > 0)

const childrenOf = (value: Json): [name: string, value: Json][] =>
  value.type === 'object' ? value.members : value.type === 'array' ? value.items.map((item, place) => [String(place), item]) : []

const summaryOf = (value: Json) => (value.type === 'array' ? `[${value.items.length}]` : `{${childrenOf(value).length}}`)

function Branch({ name, value, depth }: { name: ComponentChildren; value: Json; depth: number }) {
  const limit = useSignal(PAGE)
  const isOpen = useSignal(depth < OPEN_DEPTH)
  const all = childrenOf(value)
  const toggled = (event: Event) => {
    isOpen.value = (event.currentTarget as HTMLDetailsElement).open
  }
  return (
    <details open={depth < OPEN_DEPTH} onToggle={toggled}>
      <summary>
        {name} <span class="soft">{summaryOf(value)}</span>
      </summary>
      {isOpen.value && (
        <ul>
          {all.slice(0, limit.value).map(([child, inner]) => (
            <Node key={child} name={child} value={inner} depth={depth + 1} />
          ))}
          {all.length > limit.value && (
            <li>
              <button type="button" onClick={() => (limit.value += PAGE)}>
                {all.length - limit.value} more
              </button>
            </li>
          )}
        </ul>
      )}
    </details>
  )
}

function Node({ name, value, depth }: { name: string; value: Json; depth: number }) {
  const label = <span class="json-name">{name}</span>
  return (
    <li>
      {isBranch(value) ? (
        <Branch name={label} value={value} depth={depth} />
      ) : (
        <>
          {label}: <span class={`json-${value.type}`}>{writeJson(value, '')}</span>
        </>
      )}
    </li>
  )
}

/** JSON as a tree, or as text, with every digit. */
export function JsonView({ value, label }: { value: Json; label: string }) {
  const isRaw = useSignal(false)
  const shown = useRef<HTMLDivElement>(null)
  return (
    <div class="json" role="group" aria-label={label}>
      <div class="tools">
        <button type="button" class="small" aria-pressed={isRaw.value} onClick={() => (isRaw.value = !isRaw.value)}>
          Text
        </button>
        <CopyButton text={writeJson(value)} label={label} shown={shown} />
      </div>
      <div ref={shown}>
        {isRaw.value || !isBranch(value) ? (
          <pre tabIndex={0} role="group" aria-label={`${label} as text`}>
            {writeJson(value)}
          </pre>
        ) : (
          <Branch name={label} value={value} depth={0} />
        )}
      </div>
    </div>
  )
}

/** A body as it was kept: JSON as a tree, anything else as text. */
export function BodyView({ text, label, cut = false }: { text: string; label: string; cut?: boolean }) {
  const read = (): Json | undefined => {
    try {
      return readJson(text)
    } catch {
      return undefined
    }
  }
  const json = cut ? undefined : read()
  if (json && isBranch(json)) return <JsonView value={json} label={label} />
  return (
    <pre tabIndex={0} role="group" aria-label={label}>
      {text}
    </pre>
  )
}
