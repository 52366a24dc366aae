import { signal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { base } from './base.ts'

/** Where the console is: the steps of the path below its folder, and the query, which holds the filters. */
export interface Place {
  steps: string[]
  query: URLSearchParams
}

function here(): Place {
  const path = location.pathname.slice(base.pathname.length)
  return { steps: path.split('/').filter(Boolean).map(decodeURIComponent), query: new URLSearchParams(location.search) }
}

export const place = signal(here())

/** How many times another page was opened, so that the first one leaves the focus where the browser has it. */
export let moves = 0

/** The address of a page of the console: `events`, `17`. */
export const hrefOf = (...steps: (string | number)[]) => new URL(steps.map((step) => encodeURIComponent(step)).join('/'), base).href

/** The address of the feed with filters. */
export const feedOf = (query: Record<string, string>) => `${hrefOf()}?${new URLSearchParams(query)}`

export function go(href: string) {
  const isElsewhere = new URL(href, base).pathname !== location.pathname
  history.pushState(null, '', href)
  place.value = here()
  if (!isElsewhere) return
  moves += 1
  scrollTo(0, 0)
}

/** Changes the query of this page. It is no step of the history: Back leads to the page before. */
export function setQuery(changes: Record<string, string | undefined>) {
  const query = new URLSearchParams(place.value.query)
  for (const [name, value] of Object.entries(changes)) {
    if (value === undefined || value === '') query.delete(name)
    else query.set(name, value)
  }
  const text = query.toString()
  history.replaceState(null, '', `${location.pathname}${text && `?${text}`}`)
  place.value = here()
}

addEventListener('popstate', () => {
  const former = place.value.steps.join('/')
  place.value = here()
  if (place.value.steps.join('/') !== former) moves += 1
})

interface LinkProps {
  to: (string | number)[]
  children: ComponentChildren
  class?: string
  'aria-label'?: string
  'aria-current'?: 'page' | undefined
}

const opensElsewhere = (event: MouseEvent) => event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey

/** A link to a page of the console, which opens in a tab of its own like any other. */
export function Link({ to, children, ...more }: LinkProps) {
  const href = hrefOf(...to)
  const follow = (event: MouseEvent) => {
    if (opensElsewhere(event)) return
    event.preventDefault()
    go(href)
  }
  return (
    <a {...more} href={href} onClick={follow}>
      {children}
    </a>
  )
}
