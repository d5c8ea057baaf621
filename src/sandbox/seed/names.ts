export const firstNames = (
  'Mara Jonas Priya Tomas Elif Noor Sven Aisha Luca Ines Kofi Hana Mateo Freya Omar Lena Diego Yuki Clara Anton ' +
  'Zara Milo Ingrid Ravi Beatriz Oskar Leila Hugo Nadia Emil Tara Felix Amara Pavel Sofia Jamal Greta Ivo Meera ' +
  'Caleb Lotte Idris Rosa Henrik Farah Nils Abena Marco Signe Kenji Paula Stefan Dalia Ewan Vera Tariq Alma Bruno ' +
  'Chiara Malik Edith Rafael Sana Theo Wilma Arjun Nora Quentin Iris Samir Petra Joao Astrid Basil Carmen'
).split(' ');

export const lastNames = (
  'Lindqvist Okafor Marsh Tanaka Ferreira Novak Haddad Bauer Sato Moreau Kowalski Adeyemi Rossi Nakamura Petrov ' +
  'Hughes Silva Berger Iqbal Dahl Costa Mensah Weber Fontaine Reyes Larsen Banerjee Keller Murphy Santos Holm ' +
  'Aydin Visser Papadakis Nguyen Castillo Brandt Osei Fischer Duarte Ek Karimi Vogel Ito Marino Chowdhury Wells ' +
  'Sorensen Pires Hartmann Laurent Mori Bianchi Achterberg Fraser Nilsen Rahman Solis Teller Yilmaz'
).split(' ');

export const towns = (
  'Lisbon|Ghent|Leeds|Porto|Bergen|Bologna|Galway|Ljubljana|Halifax|Kyoto|Utrecht|Malmö|Graz|Bilbao|Tartu|' +
  'Somewhere near the sea|The slow train|Wellington|Accra|Montréal|Valparaíso|Pune|Basel|Aarhus|Glasgow'
).split('|');
