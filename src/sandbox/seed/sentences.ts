/** Words and sentences that fit every topic. `{name}` stands for a value of a slot. */

export const commonSlots: Readonly<Record<string, readonly string[]>> = {
  day: ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'],
  time: ['before breakfast', 'at lunch', 'after work', 'at six in the morning', 'late last night', 'this afternoon'],
  person: ['my sister', 'my neighbour', 'a colleague', 'my dad', 'an old friend', 'my flatmate', 'the kid next door'],
  place: ['Lisbon', 'Ghent', 'Leeds', 'Porto', 'Bergen', 'Bologna', 'Galway', 'Ljubljana', 'Halifax', 'Kyoto'],
  number: ['three', 'four', 'five', 'six', 'seven', 'nine', 'eleven', 'twelve'],
  feeling: ['quietly proud', 'oddly calm', 'far too happy', 'a bit smug', 'very lucky', 'wide awake'],
  again: ['again', 'for once', 'at last', 'as usual', 'by accident', 'on purpose'],
};

export const commonReplies: readonly string[] = [
  'This made my {day}.',
  'Love this, thank you for sharing.',
  'Same here, and I have no regrets.',
  'I needed to read this {time}.',
  '{person} told me exactly the same thing last week!',
  'Counterpoint: naps.',
  'Could you write more about this some time?',
  'Bookmarking this for the weekend.',
  'You are making me want to move to {place}.',
  'Agreed. It took me {number} years to find that out.',
  'Wait, you can do that?',
  'Ha, I was just thinking about this.',
  'Not convinced yet, but I like how you put it.',
  'Sending this to {person} right now.',
  'Count me in next time.',
  'That is the best thing I have read all {day}.',
  'How long did it take you?',
  'I tried this in {place} once and it rained the whole time.',
];

export const commonQuotes: readonly string[] = [
  'Read this one slowly.',
  'This, and I would add: start small.',
  'Everyone I know needs to see this.',
  'A good thought for a {day}.',
  'I have been saying this to {person} for years.',
  'Exactly what happened to me in {place}.',
  'Saving this here so I find it again.',
  'Respectfully adding one thing: patience.',
  'Best thing in my feed {time}.',
  'I laughed, then I took notes.',
  'Still thinking about this one.',
];

/** Openings of the next tweet in a thread. */
export const leads: readonly string[] = [
  'One more thing:',
  'Also:',
  'Update:',
  'To be fair:',
  'And then:',
  'Part two:',
  'While I am at it:',
  'Oh, and:',
];

/** Short sentences that may be appended to any text. */
export const remarks: readonly string[] = [
  'Truly.',
  'Honestly.',
  'Every time.',
  'There, I said it.',
  'That is all.',
  'More soon.',
  'Would recommend.',
  'No notes.',
  'It is the small things.',
  'Ask me how I know.',
  'I will be thinking about it all week.',
  'You had to be there.',
  'Some days are like that.',
  'Worth getting up for.',
  'Tell me I am not the only one.',
  'The neighbours have opinions.',
  'Pictures to follow.',
  'I regret nothing.',
];
