import type { ReactNode } from 'react'

/** A line of facts, with dots between them. A dot never starts a line. */
export function Facts({ children }: { children: ReactNode }) {
  return (
    <p className="flex flex-wrap items-center gap-x-1 text-muted text-sm tabular-nums pointer-coarse:-my-2.5 pointer-coarse:min-h-11">
      {children}
    </p>
  )
}

/** One of the facts in `Facts`. Screen readers don't read its dot. */
export function Fact({ children }: { children: ReactNode }) {
  return <span className="whitespace-nowrap not-last:after:content-['_·'/'']">{children}</span>
}

/** A link as one of the facts, tall enough on touch screens. */
export function FactLink({ href, children }: { href: string; children: ReactNode }) {
  return (
    <a
      href={href}
      className="no-underline hover:text-ink hover:underline pointer-coarse:inline-flex pointer-coarse:min-h-11 pointer-coarse:items-center"
    >
      {children}
    </a>
  )
}
