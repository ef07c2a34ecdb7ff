import { Tabs as Base } from '@base-ui/react/tabs'
import type { ReactNode } from 'react'

export interface TabsProps<Value extends string> {
  /** The accessible name, such as 'Dashboard'. */
  label: string
  tabs: readonly { value: Value; label: string; content: ReactNode }[]
  value: Value
  onValueChange: (value: Value) => void
}

/** Underlined tabs that the arrow keys move between. On a narrow screen they scroll sideways. */
export function Tabs<Value extends string>({
  label,
  tabs,
  value,
  onValueChange,
}: TabsProps<Value>) {
  return (
    <Base.Root value={value} onValueChange={(next: Value) => onValueChange(next)}>
      <Base.List
        aria-label={label}
        activateOnFocus
        className="relative flex gap-5 overflow-x-auto shadow-[inset_0_-1px_0_var(--line)] [scrollbar-width:none] sm:gap-6"
      >
        {tabs.map((tab) => (
          <Base.Tab
            key={tab.value}
            value={tab.value}
            className="shrink-0 whitespace-nowrap rounded-t-[6px] py-3 font-[540] text-muted transition-colors duration-120 hover:text-ink focus-visible:-outline-offset-2 data-active:text-ink forced-colors:data-active:underline"
          >
            {tab.label}
          </Base.Tab>
        ))}
        <Base.Indicator className="absolute bottom-0 left-0 h-0.5 w-(--active-tab-width) translate-x-(--active-tab-left) bg-accent transition-[translate,width] duration-180 ease-out" />
      </Base.List>
      {tabs.map((tab) => (
        <Base.Panel key={tab.value} value={tab.value} className="pt-6">
          {tab.content}
        </Base.Panel>
      ))}
    </Base.Root>
  )
}
