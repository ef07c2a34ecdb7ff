import { type SectionId, sectionIds, sectionTitles } from './section-titles.ts'

/** A part of a cure. If it names a section of the Admin Center, `section` is the section's id. */
export interface CurePart {
  text: string
  section: SectionId | null
  /** Where the text begins in the cure, counted in characters. */
  at: number
}

/** Cures name a section by its title after 'under': 'take files down under Reports'. */
const named = new RegExp(`(?<=\\bunder )(${Object.values(sectionTitles).join('|')})\\b`)

/** Divides the cure of a check, so that the titles of sections can be links. */
export function cureParts(cure: string): CurePart[] {
  let at = 0
  return cure.split(named).map((text) => {
    const section = sectionIds.find((id) => sectionTitles[id] === text) ?? null
    const part = { text, section, at }
    at += text.length
    return part
  })
}
