import { SectionLinks } from './section-links.tsx'
import { sections } from './sections.ts'

/** The content of the administrator's page at /admin (spec §2). */
export function AdminCenter() {
  return (
    <>
      <SectionLinks sections={sections} />
      {sections.map(({ id, title, Section }) => (
        <Section key={id} id={id} title={title} />
      ))}
    </>
  )
}
