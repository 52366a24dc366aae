import { type Signal, useSignal, useSignalEffect } from '@preact/signals'
import type { ComponentChildren, ComponentType } from 'preact'
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks'
import { ApiError } from './api.ts'
import { Link, moves } from './router.tsx'

/** What a screen is given: the steps of the path after its first one. */
export interface ScreenProps {
  steps: readonly string[]
}

export type ScreenComponent = ComponentType<ScreenProps>

/** A screen: its title is that of the tab and its heading, which gets the focus when the screen is opened from another one. */
export function Page({ title, intro, children }: { title: string; intro?: ComponentChildren; children: ComponentChildren }) {
  const heading = useRef<HTMLHeadingElement>(null)
  const opened = useRef(moves)
  useLayoutEffect(() => {
    document.title = `${title} – Postern`
  }, [title])
  useLayoutEffect(() => {
    if (opened.current > 0) heading.current?.focus({ preventScroll: true })
  }, [])
  return (
    <>
      <h1 ref={heading} tabIndex={-1}>
        {title}
      </h1>
      {intro}
      {children}
    </>
  )
}

export const NotFound = () => (
  <Page title="No such page">
    <p>
      The console has no page at this address. Begin at <Link to={[]}>the feed</Link>.
    </p>
  </Page>
)

type Tone = 'good' | 'bad' | 'waiting' | 'plain'

/** How a state reads: a word, with a shape beside it. Colour says nothing that they do not. */
const STATES: Record<string, readonly [words: string, tone: Tone]> = {
  delivered: ['delivered', 'good'],
  pending: ['pending', 'waiting'],
  retrying: ['retrying', 'waiting'],
  given_up: ['given up', 'bad'],
  not_sent: ['not sent', 'bad'],
  failed: ['failed', 'bad'],
  passed: ['passed', 'good'],
  valid: ['valid', 'good'],
  invalid: ['invalid', 'bad'],
  suspended: ['suspended', 'bad'],
  active: ['active', 'good'],
  accepted: ['accepted', 'good'],
  unmatched: ['no subscription', 'plain'],
  answered: ['answered', 'good'],
  refused: ['refused', 'bad'],
  running: ['running', 'waiting'],
  complete: ['complete', 'good'],
  incomplete: ['incomplete', 'bad'],
  alive: ['alive', 'good'],
  frozen: ['frozen', 'bad'],
  verified: ['signature verified', 'good'],
  wrong_signature: ['wrong signature', 'bad'],
}

const SHAPES: Record<Tone, string> = { good: '●', bad: '▲', waiting: '◐', plain: '○' }

export function State({ of }: { of: string }) {
  const [words, tone] = STATES[of] ?? [of, 'plain']
  return (
    <span class={`state ${tone}`}>
      <span aria-hidden="true">{SHAPES[tone]}</span> {words}
    </span>
  )
}

export const wordsOf = (state: string) => STATES[state]?.[0] ?? state

export const Code = ({ children }: { children: ComponentChildren }) => <code>{children}</code>

/** A command to paste, with what it does before it. */
export const Command = ({ says, command }: { says: string; command: string }) => (
  <p class="empty">
    {says} <code>{command}</code>
  </p>
)

export const Failure = ({ error, retry }: { error: ApiError; retry?: () => void }) => (
  <p class="failure" role="alert">
    {error.message}{' '}
    {retry && (
      <button type="button" onClick={retry}>
        Try again
      </button>
    )}
  </p>
)

/** What is read from the server: it is there, it is on its way, or it could not be read. What was there stays meanwhile. */
export interface Loaded<Value> {
  value: Value | undefined
  error: ApiError | undefined
  reload(): void
}

/** Reads something now, when `key` changes, and when it is asked to. */
export function useLoaded<Value>(key: string, load: () => Promise<Value>): Loaded<Value> {
  const value = useSignal<{ key: string; value: Value } | undefined>(undefined)
  const error = useSignal<ApiError | undefined>(undefined)
  const turn = useRef(0)
  const current = useRef(load)
  current.current = load
  const reload = () => {
    const mine = ++turn.current
    current.current().then(
      (read) => {
        if (mine !== turn.current) return
        value.value = { key, value: read }
        error.value = undefined
      },
      (refused) => {
        if (mine !== turn.current) return
        error.value = refused instanceof ApiError ? refused : new ApiError(0, String(refused))
      },
    )
  }
  useEffect(() => {
    error.value = undefined
    reload()
    return () => {
      turn.current += 1
    }
  }, [key])
  return { value: value.value?.key === key ? value.value.value : undefined, error: error.value, reload }
}

/** Calls something each time a signal changes, not at the beginning. */
export function useChange<Value>(watched: Signal<Value>, changed: (value: Value, former: Value) => void) {
  const former = useRef(watched.peek())
  useSignalEffect(() => {
    const value = watched.value
    const before = former.current
    former.current = value
    if (value !== before) changed(value, before)
  })
}

/** A button that does something at the server, and says in words what came of it. */
export function Act({ label, run, disabled }: { label: string; run: () => Promise<string>; disabled?: boolean }) {
  const said = useSignal('')
  const isBusy = useSignal(false)
  const press = async () => {
    isBusy.value = true
    said.value = ''
    try {
      said.value = await run()
    } catch (error) {
      said.value = (error as Error).message
    } finally {
      isBusy.value = false
    }
  }
  return (
    <span class="act">
      <button type="button" onClick={press} disabled={disabled || isBusy.value}>
        {label}
      </button>{' '}
      <span role="status">{said.value}</span>
    </span>
  )
}
