import type { ComponentChildren } from 'preact'

export type Fact = readonly [name: string, value: ComponentChildren]

/** What is known of a thing. What is false is left out. */
export const Facts = ({ of, kind = 'facts' }: { of: readonly (Fact | false)[]; kind?: 'facts' | 'headers' }) => (
  <dl class={kind}>
    {of.map(
      (fact) =>
        fact && (
          <div key={fact[0]}>
            <dt>{fact[0]}</dt>
            <dd>{fact[1]}</dd>
          </div>
        ),
    )}
  </dl>
)
