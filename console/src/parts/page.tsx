import type { ComponentChildren, ComponentType } from 'preact'
import { useLayoutEffect, useRef } from 'preact/hooks'
import { Link, moves } from '../router.tsx'

/** What a screen is given: the steps of the path after its first one. */
export interface ScreenProps {
  steps: readonly string[]
}

export type ScreenComponent = ComponentType<ScreenProps>

interface PageProps {
  /** That of the tab, and the heading, which gets the focus when the page is opened from another one. */
  title: string
  /** The list that it is a part of. */
  above?: { to: string[]; name: string }
  intro?: ComponentChildren
  children: ComponentChildren
}

/** A screen: its heading, where it belongs, what it is for, and its content. */
export function Page({ title, above, intro, children }: PageProps) {
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
      {above && (
        <p class="above">
          <Link to={above.to}>{above.name}</Link> <span aria-hidden="true">›</span>
        </p>
      )}
      <h1 ref={heading} tabIndex={-1}>
        {title}
      </h1>
      {intro && <p class="soft">{intro}</p>}
      {children}
    </>
  )
}

export const NotFound = () => (
  <Page title="No such page">
    <p>
      The console has no page at this address. Begin at <Link to={[]}>the first page</Link>.
    </p>
  </Page>
)

interface PartsProps {
  label: string
  /** The first step of their paths. */
  step: string
  parts: readonly { step: string; name: string }[]
  shown: string
}

/** The navigation between the parts of a screen. */
export const Parts = ({ label, step, parts, shown }: PartsProps) => (
  <nav aria-label={label} class="parts">
    <ul>
      {parts.map((part) => (
        <li key={part.step}>
          <Link to={[step, part.step]} aria-current={part.step === shown ? 'page' : undefined}>
            {part.name}
          </Link>
        </li>
      ))}
    </ul>
  </nav>
)
