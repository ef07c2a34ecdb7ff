import type { ReactNode } from 'react'

export interface IconRowProps {
  /** A lucide icon or Google's logo. Hidden from screen readers. */
  icon: ReactNode
  title: ReactNode
  /** A line of details under the title. */
  children: ReactNode
  /** A button at the end of the row. */
  action?: ReactNode
}

/** A row on the account page that shows a sign-in method or a session. */
export function IconRow({ icon, title, children, action }: IconRowProps) {
  return (
    <li className="flex items-center gap-3 border-line border-t px-4 py-3.5 first:border-t-0 sm:gap-4 sm:px-5 cramped:flex-wrap">
      <span
        aria-hidden="true"
        className="grid size-9 shrink-0 place-items-center rounded-[8px] bg-[color-mix(in_oklab,var(--surface),var(--ink)_5%)] font-[650] text-muted [&_svg]:size-[18px]"
      >
        {icon}
      </span>
      <div className="min-w-0 flex-1 cramped:basis-2/3">
        <h3 className="flex flex-wrap items-center gap-x-2 gap-y-1 text-base leading-normal tracking-normal">
          {title}
        </h3>
        <p className="mt-0.5 text-muted text-sm tabular-nums">{children}</p>
      </div>
      {action}
    </li>
  )
}
