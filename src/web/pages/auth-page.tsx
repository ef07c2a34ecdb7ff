import type { ReactNode } from 'react'
import { Card } from '../ui/card.tsx'
import { Page } from './page.tsx'

export interface AuthPageProps {
  title: string
  /** A sentence under the heading. */
  lead: ReactNode
  children: ReactNode
  /** A link to another page, below the card. */
  footer?: ReactNode
}

/** A screen with a single form in a card. */
export function AuthPage({ title, lead, children, footer }: AuthPageProps) {
  return (
    <Page title={title} centered>
      <Card floating className="w-full max-w-[448px] p-6 sm:p-9">
        <h1 className="text-2xl">{title}</h1>
        <p className="mt-2 mb-7 text-muted">{lead}</p>
        {children}
      </Card>
      {footer ? <p className="mt-6 text-muted">{footer}</p> : null}
    </Page>
  )
}
