import { signal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { portal } from './api.ts'
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

const listOf =
  (...steps: string[]) =>
  (query: Record<string, string>) =>
    `${hrefOf(...steps)}?${new URLSearchParams(query)}`

/** The addresses of the feed, and of lists, with filters. */
export const feedOf = listOf()
export const deliveriesOf = listOf('deliveries')
export const webhooksOf = listOf('webhooks')

/** The list of what goes to a webhook: the first screen of a portal is one. */
export const deliveriesTo = (webhookId: string) => (portal.value ? feedOf({ webhook: webhookId }) : deliveriesOf({ webhook_id: webhookId }))

export function go(href: string) {
  const isElsewhere = new URL(href, base).pathname !== location.pathname
  history.pushState(null, '', href)
  place.value = here()
  if (!isElsewhere) return
  moves += 1
  scrollTo(0, 0)
}

/** What the address has by some names: filters of a list. */
export function filtersHere<Name extends string>(names: readonly Name[]): Partial<Record<Name, string>> {
  const { query } = place.value
  return Object.fromEntries(names.flatMap((name) => (query.has(name) ? [[name, query.get(name)!]] : []))) as Partial<Record<Name, string>>
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

const opensElsewhere = (event: MouseEvent) => event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey

/** A link to a page of the console opens it here, unless the browser is asked for a tab of its own. */
addEventListener('click', (event) => {
  const link = (event.target as Element).closest('a')
  if (!link?.href.startsWith(base.href) || link.hash !== '' || opensElsewhere(event)) return
  event.preventDefault()
  go(link.href)
})

interface LinkProps {
  to: (string | number)[]
  children: ComponentChildren
  class?: string
  'aria-label'?: string
  'aria-current'?: 'page' | undefined
}

export const Link = ({ to, ...more }: LinkProps) => <a {...more} href={hrefOf(...to)} />
