import { useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { ApiError, get } from '../api.ts'

/** What was refused, or not answered, as an error that has a sentence. */
export const refusalOf = (error: unknown) => (error instanceof ApiError ? error : new ApiError(0, String(error)))

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

export const Reading = () => <p class="soft">Reading…</p>

/** What is read from the server: it is there, it is on its way, or it could not be read. What was there stays meanwhile. */
export interface Loaded<Value> {
  value: Value | undefined
  error: ApiError | undefined
  /** Resolves once it was read, or could not be. */
  reload(): Promise<void>
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
    return current.current().then(
      (read) => {
        if (mine !== turn.current) return
        value.value = { key, value: read }
        error.value = undefined
      },
      (refused) => {
        if (mine !== turn.current) return
        error.value = refusalOf(refused)
      },
    )
  }
  useEffect(() => {
    error.value = undefined
    void reload()
    return () => {
      turn.current += 1
    }
  }, [key])
  return { value: value.value?.key === key ? value.value.value : undefined, error: error.value, reload }
}

/** Reads the data of an answer. */
export const useData = <Value,>(path: string) => useLoaded(path, async () => (await get<{ data: Value }>(path)).body.data)

interface LoadingProps<Value> {
  of: Loaded<Value>
  children(value: Value): ComponentChildren
}

/** What was read, as soon as it is; and why it could not be read. */
export const Loading = <Value,>({ of: { value, error, reload }, children }: LoadingProps<Value>) => (
  <>
    {error && <Failure error={error} retry={reload} />}
    {value === undefined && !error && <Reading />}
    {value !== undefined && children(value)}
  </>
)
